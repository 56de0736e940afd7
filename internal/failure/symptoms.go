package failure

import (
	"github.com/mneme-memory/mneme/internal/lexis"
)

// symptoms are what goes wrong, in the words of programs and of people: "did
// not exit" is "hangs". They count only beside a name that both have.
var symptoms = map[string]lexis.Pattern{
	"hang":        lexis.Within(hangs),
	"garbled":     lexis.Within(garbles),
	"memory":      lexis.Within(memories),
	"certificate": lexis.Within(certificates),
	"lock":        lexis.Within(locks),
	"quota":       lexis.Within(quotas),
	"disk":        lexis.Within(disks),
	"name":        lexis.Within(hostNames),
	"borrowed":    lexis.Within(borrows),
}

var hangs = lexis.Table{
	{`hang(?:s|ing)?`, "Jest hangs at the end"},
	{`hung`, "the job hung"},
	{`(?:is|gets|got) stuck`, "the build is stuck"},
	{`(?:does|did|do) not (?:exit|end|return|terminate|stop)`, "Jest did not exit one second after the test run"},
	{`never (?:ends|returns|exits|finishes)`, "the import never ends"},
	{`timed? ?out`, "Command timed out after 2m"},
	{`deadline exceeded`, "context deadline exceeded"},
	{`hängt`, "der Test hängt"},
	{`(?:se cuelga|se queda colgad[oa])`, "la prueba se cuelga"},
}

var garbles = lexis.Table{
	{`garbage`, "defmt prints garbage"},
	{`garbled`, "the output is garbled"},
	{`malformed`, "malformed frame skipped"},
	{`(?:could not|cannot|failed to|can't) (?:be )?(?:decode|parse)d?`, "some of the data could not be decoded"},
	{`corrupt(?:ed)?`, "the archive is corrupt"},
	{`mojibake`, "mojibake in the names"},
	{`Zeichensalat`, "im Export steht Zeichensalat"},
}

var memories = lexis.Table{
	{`out of memory`, "CUDA out of memory"},
	{`oom(?:killed)?`, "Reason: OOMKilled"},
	{`outofmemoryerror`, "java.lang.OutOfMemoryError: Metaspace"},
	{`memoryerror`, "MemoryError: Unable to allocate 18 GiB"},
	{`heap`, "JavaScript heap out of memory"},
	{`(?:exit )?(?:code|status):? 137`, "Exit Code: 137"},
	{`memory (?:size|limit)\w*`, "Allowed memory size of 134217728 bytes exhausted"},
	{`Speicher (?:voll|reicht nicht|läuft voll)`, "der Speicher reicht nicht"},
	{`sin memoria`, "el proceso se queda sin memoria"},
}

var certificates = lexis.Table{
	{`x509`, "x509: certificate signed by unknown authority"},
	{`pkix`, "PKIX path building failed"},
	{`certificates?`, "self signed certificate in certificate chain"},
	{`ssl handshake`, "SSL handshake failed"},
	{`ca`, "the corporate CA is missing"},
	{`Zertifikat\w*`, "das Zertifikat ist abgelaufen"},
	{`certificado`, "el certificado caducó"},
}

var locks = lexis.Table{
	{`deadlock\w*`, "deadlock detected"},
	{`lock timeout`, "canceling statement due to lock timeout"},
	{`state lock`, "Error acquiring the state lock"},
	{`locked`, "database is locked"},
	{`gesperrt`, "die Tabelle ist gesperrt"},
	{`bloquead[oa]`, "la tabla está bloqueada"},
}

var quotas = lexis.Table{
	{`rate limit\w*`, "You have reached your pull rate limit"},
	{`too ?many ?requests`, "toomanyrequests"},
	{`429`, "HTTP 429"},
	{`quota`, "quota exceeded"},
	{`throttl\w+`, "ThrottlingException: request was throttled"},
}

var disks = lexis.Table{
	{`no space left`, "no space left on device"},
	{`enospc`, "ENOSPC: no space left on device"},
	{`disk(?: is)? full`, "the disk is full"},
	{`Platte (?:ist )?voll`, "die Platte ist voll"},
	{`disco lleno`, "disco lleno"},
}

var hostNames = lexis.Table{
	{`(?:could not|cannot) (?:translate|resolve) host(?: ?name)?`, "could not translate host name"},
	{`name resolution`, "Temporary failure in name resolution"},
	{`enotfound`, "getaddrinfo ENOTFOUND api.test"},
	{`unknown host`, "unknown host db"},
}

var borrows = lexis.Table{
	{`already (?:mutably )?borrowed`, "RefCell already borrowed"},
	{`borrow(?:mut)?error`, "already borrowed: BorrowMutError"},
}
