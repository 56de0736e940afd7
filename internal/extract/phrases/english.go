package phrases

import "github.com/mneme-memory/mneme/internal/lexis"

// English is how things are said in English.
func English() Language {
	return Language{
		Name:   "English",
		Always: englishAlways, Never: englishNever, Must: englishMust, Prefers: englishPrefers, Decides: englishDecides, Chooses: englishChooses,
		Contrasts: englishContrasts, Reasons: englishReasons, Stands: englishStands, Times: englishTimes, Scopes: englishScopes,
		Reminds: englishReminds, Demands: englishDemands, Habits: englishHabits, Order: englishOrder, Leads: englishLeads,
		Hedges: englishHedges, Wishes: englishWishes, Now: englishNow, Troubles: englishTroubles, Tasks: englishTasks, Stories: englishStories,
		Objects: englishObjects, Agrees: englishAgrees, Retracts: englishRetracts, Secrets: englishSecrets, Talk: englishTalk,
		Declares: englishDeclares, Acknowledges: englishAcknowledges, Demanded: englishDemanded,
		Causes: englishCauses, Mends: englishMends, Finds: englishFinds,
	}
}

var englishAlways = lexis.Table{
	{`always`, "Always show me a diff before you upgrade"},
	{`from now on`, "Then we compile with -O2 from now on"},
	{`from here on`, "from here on we squash"},
	{`going forward`, "going forward, sign the tags"},
	{`in (?:the )?future`, "in future run the linter first"},
	{`for the future`, "One thing for the future: sign the tags"},
	{`as a rule`, "as a rule we squash"},
	{`only ever`, "device keys are only ever injected by the jig"},
	{`(?:every|each) time (?:you|we)`, "every time you touch the proto files, run make gen"},
}

var englishNever = lexis.Table{
	{`never`, "Never edit openapi.yaml by hand"},
	{`no [\w -]{2,40} (?:in|on|at|outside|inside|without|for|after|before|during) (?:any|all|every|the|of|our|code|tests?|production|prod|main|CI)\w*`, "No unwrap outside of tests, please"},
	{`(?:do not|don'?t|dont) ever`, "don't ever touch the benchmark"},
	{`(?:must|may|should|shall|can) ?(?:not|n'?t)(?: ever)? be`, "drafts must not be published"},
	{`(?:is|are) not to be`, "vendor folders are not to be edited"},
	{`(?:is|are) (?:forbidden|off limits|taboo)`, "force pushes are forbidden"},
	{`nothing may`, "nothing may read a whole file into memory"},
	{`nobody (?:may|should)`, "nobody may log in as root"},
	{`(?:do not|don'?t) (?:use|touch|commit|push|log|hard-?code|edit|mock|add|put|write|answer with|run|deploy|store|send)`, "Don't use k_busy_wait in drivers"},
	{`under no circumstances`, "under no circumstances delete a backup"},
	{`nothing (?:\S+ ){1,8}(?:may|can|should|must|is allowed to)`, "nothing on the tick thread may block"},
	{`(?:is|are) not allowed`, "colour alone is not allowed"},
	{`do not ever|never ever`, "never ever push to main"},
}

var englishMust = lexis.Table{
	{`must`, "jobs must end within 24 hours"},
	{`ha(?:s|ve) to`, "you have to hold BOOT while plugging in the cable"},
	{`needs? to be`, "the cache needs to be warm"},
	{`only`, "deploys go out on weekdays only"},
	{`at (?:most|least)`, "batches of 50 at most"},
	{`(?:is|are) (?:required|mandatory)`, "a signature is required"},
	{`requirement`, "That's a hard requirement from the console maker"},
	{`no more than`, "no more than 50 rows"},
	{`up to \d+`, "files up to 40 GB"},
}

var englishPrefers = lexis.Table{
	{`I (?:really |strongly |always |usually |generally )?(?:prefer|hate|like it when|insist)`, "I prefer table-driven tests"},
	{`I always (?:want|need|like)`, "I always want lower-case keywords"},
	{`I (?:do not|don'?t|never) (?:want|like|need) (?:\w+ ){0,3}(?:in|on|with|any)`, "I don't want jet in any figure"},
	{`I'?d rather`, "I'd rather stay with the transformer"},
	{`(?:is|are) enough for me`, "plain sentences are enough for me"},
	{`keep (?:your|the|all|my) (?:answers|replies|commits|commit messages|comments|explanations|diffs|summaries|functions)`, "please keep your answers to two lines"},
	{`(?:messages|comments|answers|replies|names|titles|branches|commits|tests) please (?:in|with|without|always|as)`, "Commit messages please in the imperative"},
	{`in plain words`, "In plain words, no ticket numbers"},
	{`no [\w -]{2,30}, (?:the|they|we|nobody|it|our)`, "no ticket numbers, the testers don't know them"},
	{`I want you to (?:always|never)`, "I want you to always run the tests"},
	{`no (?:[\w-]+ ){1,4}(?:pls|please)`, "no force unwraps pls"},
	{`I(?:\'d| would) (?:like|love) (?:\w+ ){0,3}(?:to )?(?:always|never|if)`, "I'd like you to always ask"},
	{`(?:the |our )?rule (?:here |of thumb )?is`, "Rule here is that nothing blocks"},
	{`I(?:\'m| am) (?:not )?a (?:big )?fan of`, "I'm not a fan of mocks"},
	{`I (?:can\'t|cannot) stand`, "I can't stand abbreviations"},
	{`stop (?:\w+ly )?\w+ing`, "stop adding comments"},
	{`when(?:ever)? you (?:write|make|add|change|touch|create|commit|open|review|name|edit|update|do|run|use|generate|see|find|finish|refactor|test)`, "When you write docs, keep them short"},
}

var englishDecides = lexis.Table{
	{`let'?s (?:go with|use|stick (?:with|to)|keep|take|standardi[sz]e on|stay)`, "let's go with the text input"},
	{`let'?s \w+ (?:[\w,./-]+ ){1,12}(?:instead of|rather than)`, "let's recompute a window instead of running a second job"},
	{`we(?:'ll| will) (?:go|use|take|stay|stick|keep|drop|switch|move to|pick)`, "we'll go to 28 with this release"},
	{`we (?:take|stay|stick|go with|switch to|picked|chose|drop)`, "We stay on amd64"},
	{`we(?:'ve| have)? (?:decided|agreed|settled)`, "We decided to keep H2 for unit tests"},
	{`then we \w+`, "Then we compile with -O2"},
	{`(?:switch|stick|stay|go) (?:to|with|on)`, "switch to FXAA on the handheld only"},
	{`keep (?:it|the|using|[A-Z]\w+) [\w .-]*(?:that way|on|in|for|as)`, "keep MSAA on PC"},
	{`(?:the|this) [\w-]+ one then`, "the built-in one then"},
	{`^in \w+ then`, "In flash then"},
	{`but only (?:under|in|for|on|with)`, "expose it, but only under /v3"},
	{`let\'?s (?:\w+ ){1,6}then`, "let's compute it on the fly then"},
	{`(?:go|going|went) (?:for|with)`, "go for dedupe in staging"},
	{`we(?:\'re| are) (?:sticking|staying|going|keeping)`, "We're sticking with INDI"},
	{`settled on`, "we settled on GoodJob"},
	{`(?:stays?|remains?) (?:on|at|with|in|as|[A-Za-z]+ \d)`, "the mail zone stays at Route 53"},
	{`decided (?:on|to|against|for)`, "decided against Kafka"},
	{`we(?:\'re| are) not (?:going to|gonna)`, "we're not going to store diffs"},
}

var englishChooses = lexis.Table{
	{`(?:use|take|go with|stay with|pick|we use|switch to)`, "Use winnow, it has context on errors"},
}

var englishContrasts = lexis.Table{
	{`instead(?: of)?`, "use pnpm instead of npm"},
	{`rather than`, "polling rather than webhooks"},
	{`(?:,|and|;) not (?:\w+ )?\w+`, "copy it into qa-drop, not builds"},
	{`not (?:\S+ ){1,6}but`, "not on the 10th but on the 12th"},
	{`(?:is|are|was|were)(?:n'?t| not) [^,;.]{2,60}[,;] (?:it|they|but)`, "it is not on the 10th, it starts on the 12th"},
	{`no longer`, "the old host is no longer used"},
}

var englishReasons = lexis.Table{
	{`because(?: of)?`, "because the vendor's image needs it"},
	{`since`, "since number inputs lose the comma"},
	{`so that`, "so that the audit finds it"},
	{`, so`, "the sales team edits it, so never hardcode an origin"},
	{`otherwise`, "otherwise the bootloader doesn't come up"},
	{`or else`, "or else CI breaks"},
	{`, as (?:it|they|we|the|nobody)`, "we take Mollie, as it does SEPA mandates"},
	{`: [^.;]{0,60}needs? (?:it|this|that)`, "we'll go to 28: the new map SDK needs it"},
	{`and then (?:\S+ ){1,3}(?:breaks?|fails?)`, "npm writes a second lockfile and then CI breaks"},
	{`due to`, "due to the audit"},
	{`it has|they have`, "Use winnow, it has context on errors"},
}

var englishStands = lexis.Table{
	{`comes? from`, "partner origins come from partners.json"},
	{`(?:is|are) (?:generated|kept|stored|served|read|written|done|signed|built|released|deployed|paid|applied|counted|measured|taken|sent|encrypted|mounted|hosted)`, "production migrations are done on Sundays"},
	{`(?:lives?|runs?|listens?|sits?|builds?|works?|ends?|starts?|begins?|closes?|opens?) (?:in|on|at|under|with|behind|from|only|every)`, "the blog builds with Hugo 0.121"},
	{`(?:go|goes|belongs?) (?:in|into|out|to|through|under)`, "patches go into patches/"},
	{`(?:is|are) (?:due|expected|allowed|limited|reachable|available|called|named|owned)`, "the report is due in March"},
	{`(?:accepts?|rejects?|expects?|supports?|validates?|speaks?|means?|keeps?|sends?)`, "v2 clients validate strictly"},
	{`(?:gets?|is|are) (?:published|delivered|rotated|renewed|replaced)`, "the tables get published in November"},
	{`(?:is|are|takes?|has|have) [^.;]{0,30}\d+`, "honey is 7 %"},
	{`order matters`, "Drain order matters"},
	{`(?:window|deadline|limit|freeze|budget|quota) (?:is|ends|starts)`, "The maintenance window is Tuesdays 20 to 22"},
	{`(?:is|are) (?:for|our|the) \w+`, "it is the frozen benchmark"},
}

var englishTimes = lexis.Table{
	{`(?:mon|tues|wednes|thurs|fri|satur|sun)days?`, "on Sundays"},
	{`week(?:day|end)s?`, "on weekdays before 15:00"},
	{`(?:every|each|per) (?:\w+ )?(?:day|week|month|quarter|year|night|hour|morning|release|beta|sprint)`, "each year in November"},
	{`at \d{1,2}(?::\d\d)?`, "at 05:00"},
	{`(?:before|after|until|by|from) \d{1,2}(?::\d\d)?`, "before 15:00"},
	{`(?:before|after|until|by|on|in) (?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:january|february|march|april|may|june|july|august|september|october|november|december)`, "before December 1st"},
	{`on the \d{1,2}(?:st|nd|rd|th)`, "on the 20th of November"},
	{`\d{1,2} to \d{1,2}`, "Tuesdays 20 to 22"},
	{`\d+ (?:days?|weeks?|hours?|minutes?|months?|years?)`, "kept for 10 years"},
	{`(?:every|each|per) \d+ ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?)`, "only every 5 s"},
	{`from (?:the )?\S+ (?:until|till|to) (?:the )?\S+`, "frozen from the 24th until the 2nd"},
	{`until (?:the )?(?:\d|january|february|march|april|may|june|july|august|september|october|november|december)\w*`, "iOS 17 until march"},
	{`in (?:january|february|march|april|june|july|august|september|october|november|december)`, "since September, in March"},
}

var englishScopes = lexis.Table{
	{`(?:in|for|on|with|across) (?:all|any|every|each)`, "in all drivers"},
	{`(?:every|any)where`, "everywhere"},
	{`anything that`, "in anything that runs per frame"},
	{`in (?:this|our|the) (?:repo|repository|project|code ?base|team|company)`, "in this repository"},
	{`in prod(?:uction)?`, "in production"},
	{`outside (?:of )?(?:tests?|the)`, "outside of tests"},
	{`(?:all|every|each|any|no) \w+s?`, "every table"},
	{`by hand`, "by hand"},
	{`here`, "use pnpm here"},
}

var englishReminds = lexis.Table{
	{`remember`, "important to remember: replace by installation id"},
	{`keep in mind`, "keep in mind that dates are UTC"},
	{`important(?: to know)?:`, "important: the cache is shared"},
	{`note(?: that|:)`, "note that the clock is UTC"},
	{`for the record`, "for the record, staging is eu-2"},
	{`good to know:`, "good to know: the mirror is slow"},
	{`one (?:more )?thing(?: for the future)?:`, "One more thing: origins come from partners.json"},
	{`fyi`, "fyi, staging is in eu-2"},
	{`(?:some |a bit of )?background:`, "some background: documents are stored as JSON"},
}

var englishDemands = lexis.Table{
	{`(?:legal|security|compliance|the law|the auditors?|the reviewers?|the customers?|the certification people|the client|management|the ministry|the bank) (?:insists?|requires?|wants?|demands?|agreed|says?|expects?|confirmed)`, "Legal insists"},
	{`(?:adviser|advisor|lawyer|vendor|maker|auditors?) (?:confirmed|said|agreed|requires?)`, "Our tax adviser confirmed it"},
	{`requirement from`, "a hard requirement from the console maker"},
	{`reviewers (?:know|want|need)`, "the reviewers want reproducible numbers"},
	{`by law`, "kept by law"},
}

var englishHabits = lexis.Table{
	{`we (?:never|always|only|usually)?\s*(?:use|keep|report|store|run|write|name|map|count|measure|deploy|release|tag|sign|ship|build|test|pin|log|send|pay|read|round)`, "we report the mean of five seeds"},
	{`our (?:convention|policy|rule|standard|style)s?`, "our convention is snake case"},
}

var englishOrder = lexis.Table{
	{`first(?:ly)?`, "gpu pool first"},
	{`(?:and |only )?then`, "then copy the zip"},
	{`after (?:that|which)`, "after that, tag it"},
	{`afterwards`, "afterwards tell ops"},
	{`finally`, "finally tag it"},
	{`last(?:ly)?`, "general last"},
	{`wait (?:for|until)`, "wait for the pipeline"},
	{`once (?:it|that|they)`, "once it is green, merge"},
	{`in that order`, "in that order"},
	{`(?:and )?only then`, "and only then plug it in"},
	{`before (?:you|that)`, "before that, stop it"},
}

var englishLeads = lexis.Table{
	{`to [a-z]+`, "To restart a member from year N"},
	{`when(?:ever)? (?:you|we|a|an|the)`, "When you export a build for QA"},
	{`(?:after|before) (?:every|each|a|you|we)`, "After every beta"},
	{`(?:every|each) time`, "Each time the schema changes"},
	{`how (?:to|we)`, "How to release"},
	{`(?:the )?(?:steps|procedure|recipe|routine|checklist|way) (?:to|for|is)`, "The steps for a release"},
	{`(?:[\w-]+ ){1,4}(?:goes|works|is done) like this`, "Rolling restart goes like this"},
	{`if you (?:want|need|have) to`, "If you need to roll back"},
	{`for [\w -]{2,40}:`, "for testflight: bump the build, archive, upload"},
	{`the way we do it(?: is)?`, "the way we do it is: copy the template"},
	{`when I say`, "when I say ship it I mean: tag, wait"},
	{`(?:startup|shutdown|release|deploy(?:ment)?|rollback|[a-z]+ing) (?:is|goes|works) (?:always )?(?:the same|like this|so)?:`, "Startup is always the same: power the rack"},
}

var englishHedges = lexis.Table{
	{`maybe`, "maybe we should drop it"},
	{`perhaps`, "perhaps it is the cache"},
	{`probably`, "probably the cache"},
	{`not sure`, "I'm not sure"},
	{`I (?:think|guess|believe|suppose|suspect|wonder)`, "I think it is the cache"},
	{`might`, "We might do a level editor"},
	{`what if`, "what if we used cron"},
	{`thinking aloud`, "just thinking aloud"},
	{`seems?`, "it seems slow"},
	{`dunno`, "maybe one day, dunno"},
	{`(?:nothing|not(?:hing)?)(?:\'s| is| has been)? (?:been )?decided`, "but nothing's decided"},
	{`at some point`, "rewrite it at some point"},
}

var englishWishes = lexis.Table{
	{`(?:some|one) day`, "some day we port it"},
	{`we could`, "we could also move to web components"},
	{`(?:would|'d) be (?:nice|cool|great)`, "that would be nice"},
	{`should (?:we|I)`, "should we use Rust"},
	{`was thinking (?:about|of)`, "I was thinking about a loyalty program"},
	{`(?:thought|think) about`, "I thought about moving to Astro"},
	{`not now`, "but not now"},
	{`next (?:month|year|quarter)`, "moving next month"},
	{`eventually`, "eventually we will"},
	{`plan to`, "we plan to move"},
	{`(?:thinking|toying|considering|wondering)`, "we're thinking about moving off airbyte"},
	{`next (?:week|sprint)`, "Next week we look at DNSSEC"},
	{`we (?:should|ought to|need to) (?:probably|also|maybe|really)`, "We should probably split the repo"},
}

var englishNow = lexis.Table{
	{`yet`, "don't change anything yet"},
	{`your (?:answer|reply|response)`, "keep your answer in JSON"},
	{`today`, "We upgrade today"},
	{`tonight`, "deploy tonight"},
	{`tomorrow`, "see you tomorrow"},
	{`yesterday`, "since yesterday"},
	{`for now`, "use a list for now"},
	{`for the moment`, "for the moment it stays"},
	{`this time`, "skip it this time"},
	{`right now`, "right now it is red"},
	{`(?:just|only) (?:this )?once`, "just this once"},
	{`temporarily`, "temporarily off"},
	{`for a (?:count|test|look|minute|moment) only`, "use it for a count only"},
	{`this (?:morning|afternoon|evening|week)`, "on call this week"},
	{`last (?:night|week)`, "it broke last night"},
	{`in this (?:function|file|test|branch|pr|commit|case)`, "in this file use tabs"},
}

var englishTroubles = lexis.Table{
	{`(?:is|are|was|were|looks?|got) (?:\w+ )?(?:broken|wrong|slow|down|red|too (?:low|high|slow|big|small)|stuck|empty|missing|doubled|nan|logged out)`, "The September totals are too low"},
	{`(?:fails?|failed|failing|crash(?:es|ed)?|died|hangs?|leaks?|drops?|breaks|complains?)`, "Member 31 died at year 412"},
	{`(?:does|do|did)(?:n'?t| not) (?:work|load|start|build|save|show)`, "the page does not load"},
	{`shows? [\w ]{2,40} twice`, "the payslip shows net pay twice"},
	{`twice`, "Messages arrive twice on mobile"},
	{`empties itself`, "The cart empties itself"},
	{`(?:error|exception|bug|crash|regression)`, "there is a bug in the parser"},
	{`0xffff`, "readings are 0xFFFF"},
	{`killed`, "pods are killed with exit code 137"},
}

var englishTasks = lexis.Table{
	{`(?:please |now |ok,? |then |also )*(?:look at|have a look|check|fix|add|write|show me|explain|tell me|find|start|open|read|try|implement|create|update|refactor|remove|rename|rewrite|expose|bump|investigate|run|make sure|finish|continue|go on|clean up|merge|commit|push)`, "Look at etl/aggregate.py first"},
	{`(?:can|could|would|will) you`, "Can you find out why"},
	{`(?:we|I) need (?:a|an|the|to)`, "We need a column booking_day"},
	{`we (?:upgrade|rewrite|start|begin|fix|migrate)`, "We rewrite the parser with nom"},
}

var englishStories = lexis.Table{
	{`(?:to|for) me`, "it looks the same to me"},
	{`I (?:asked|thought|did|was|went|tried|saw|had|forgot|told|made|wrote|changed|found|just)`, "I asked marketing for new icons"},
	{`I'?ve`, "I've done it now"},
	{`I(?:'m| am)`, "I'm on the train"},
	{`did you (?:know|see|hear)`, "did you know that octopuses have three hearts"},
}

var englishObjects = lexis.Table{
	{`no+[,.!:;]`, "No! Don't use k_busy_wait"},
	{`nope`, "Nope, that's wrong"},
	{`wrong`, "Wrong, it is 5433"},
	{`that'?s (?:wrong|not right|incorrect|not how)`, "that's wrong"},
	{`not (?:quite|right|true)`, "not quite: it is 5433"},
	{`actually,`, "Actually, it is 5433"},
	{`no wait`, "no wait, don't"},
	{`stop[,.!]`, "Stop, not there"},
	{`(?:also,? |actually,? )*I was (?:wrong|mistaken)(?: (?:about|with|there|before)(?: [\w-]+){0,3})?`, "actually, I was wrong about Ines, it's Pawel"},
	{`correction:`, "Correction: it is 60"},
	{`no[,.]? (?:sorry|actually)`, "no, sorry, it is 60"},
}

var englishAgrees = lexis.Table{
	{`(?:makes sense|thought so|as I thought|fair (?:point|enough)|I see|got it|true|correct|lovely|sweet|ah(?: yes| yeah)?|good (?:point|catch|find|lad)|nice (?:catch|find))`, "Makes sense, go for it"},
	{`(?:hm+|uh|oh|ah|well|so)`, "hm wait"},
	{`(?:yes|yeah|yep|ok(?:ay)?|right|sure|fine|good|great|cool|perfect|exactly|thanks?|thank you|wow|alright|agreed)`, "ok, let's go"},
	{`(?:btw|by the way|and|but|also|then|anyway)`, "btw the staging host is eu-2"},
	{`please`, "please keep it short"},
	{`back`, "Back. The certification people"},
	{`ok real work`, "ok real work: the blog builds with Hugo"},
}

var englishRetracts = lexis.Table{
	{`(?:I )?take (?:that|it) back`, "I take that back"},
	{`scratch that`, "Scratch that"},
	{`forget (?:it|that|about (?:it|that|the \w+))`, "forget it"},
	{`never ?mind`, "never mind"},
	{`on second thought`, "on second thought, no"},
	{`changed my mind`, "I changed my mind"},
	{`(?:but )?I dropped (?:it|that)`, "But I dropped it"},
	{`(?:but|hm+,?|oh) no[:,]`, "I first thought of Thursday, but no: Sundays"},
	{`no,? wait(?:, don'?t)?`, "no wait, don't"},
	{`let'?s not`, "Let's not plan it"},
	{`leave (?:it|that)\.?`, "Leave it."},
	{`undo (?:that|it)`, "undo that"},
	{`scrap (?:that|this|it|the \S+)`, "scrap the 14:00"},
	{`actually,? no`, "actually no, keep it separate"},
}

var englishSecrets = lexis.Table{
	{`pass(?:word|wd|phrase|code)?`, "the root password is x"},
	{`secret`, "the secret is x"},
	{`tokens?`, "here's my token"},
	{`(?:api |access |private |wandb |ns-)?keys? (?:is|for|:)`, "My wandb key is x"},
	{`credentials?`, "the credentials are x"},
	{`login`, "the staging login is x"},
	{`dsn`, "DSN for the replica"},
	{`pin`, "the pin is x"},
}

var englishTalk = lexis.Table{
	{`(?:good )?(?:morning|night|evening|afternoon)[!.,]?`, "Good morning!"},
	{`(?:hi|hey|hello)(?: there)?`, "hi there"},
	{`(?:thanks|thank you|cheers)`, "cheers"},
	{`(?:lunch|coffee|ramen|weather|octopus\w*|football|weekend plans)`, "ok lunch"},
	{`(?:lol|haha|wow|nice)`, "lol"},
	{`see you`, "see you tomorrow"},
	{`you'?re a star`, "you're a star"},
	{`how are you`, "how are you today"},
	{`how(?:\'s| is) (?:ur|your|the) (?:day|weekend)`, "how's ur day"},
}

var englishCauses = lexis.Table{
	{`c[ao]me(?:s)? from`, "the ECONNREFUSED came from the missing Redis"},
	{`(?:was|were|is|are) (?:caused|due) (?:by|to)`, "it was caused by reading too early"},
	{`because`, "it failed because the JDK is 22"},
	{`since`, "TestV2Golden failed since v2 aliased it"},
	{`happen(?:s|ed) (?:while|when|because|if)`, "it happens while the view is refreshed"},
	{`(?:was|were|is|are) missing`, "ext-curl was missing from the system"},
	{`(?:is|was|were|are) not (?:enough|running|installed|set|there)`, "the default of 128 MB is not enough"},
	{`lacks?`, "jsdom lacks it"},
	{`means? that`, "it means that the CA is missing"},
	{`(?:appeared|failed) (?:because|since|when)`, "it appeared because the JDK is 22"},
	{`(?:was|were|is) (?:the|a) (?:missing|wrong|stale|old|expired)`, "The 403 was the missing scope"},
	{`was (?:rounding|a race|a typo|set up)`, "the math domain error was rounding"},
	{`hence`, "hence the green cast"},
}

var englishMends = lexis.Table{
	{`(?:was|were|is|got) (?:solved|fixed|cured|resolved|cleared) by`, "it was solved by match"},
	{`went away`, "CS1654 went away by taking it by ref"},
	{`(?:cleared|fixed|cures?|solved|solves|brought|starts|helps?|helped|fixes) (?:it|that|this)`, "helm rollback cleared it"},
	{`fixed:?`, "Fixed: I convert to UTC"},
	{`(?:passes|pass|works?|runs?|builds?|trains?)(?: again)? (?:with|since|after|when|now that)`, "All tests pass with memory_limit=1G"},
	{`adds the missing`, "jsdom-with-globals adds the missing globals"},
	{`instead of`, "taking Bytes instead of a slice"},
	{`(?:it|that|everything|all) works? again`, "It works again"},
	{`(?:has|have|had) to be`, "the adapter speed has to be 400"},
	{`now (?:flushes|uses|reads|takes|waits|runs|clamps|checks|goes|has|handles|imports|filters|retries|\w+s)`, "session.rs now flushes the queue"},
}

var englishFinds = lexis.Table{
	{`I found it:`, "I found it: these sites use satellite modems"},
	{`found the (?:cause|problem|reason|bug|culprit):`, "Found the cause: the clock is UTC"},
	{`the (?:root )?cause (?:was|is)`, "The cause was torch.log of zero"},
}

var englishDeclares = lexis.Table{
	{`(?:the|our|all|each|every|any|both|most|half|an?|their|some|only|anything|nothing|everything|everybody|nobody|my|one|two|three|\d+)(?: [^\s,:;.!?]+){1,8}?,? (?:is|are|has|have|must|needs?|can|cannot|can\'t|may|will|gets?|goes|go|stays?|uses?|takes?|runs?|comes?|costs?|holds?|keeps?|owns?|contains?|starts?|ends?|requires?|expects?|supports?|accepts?|allows?|belongs?|means?|lives?|listens?|sends?|returns?|reads?|writes?|works?|wants?|pays?|shares?|depends?|updates?|handles?|\w{3,}(?:[aeioubcdfghklmnprtvwxyz]e?s))`, "the bank only takes SEPA files"},
	{`(?:[^\s,:;.!?]+ ){1,6}?(?:is|are|has|have|must|needs?|can|cannot|can\'t|may|gets?|goes|stays?|uses|takes?|runs?|comes|costs?|keeps|owns|contains|starts|ends|requires|expects|supports|accepts|allows|belongs?|means|lives|listens|sends|returns|reads|writes|works|wants|pays?|depends?|shows?|gives|jumps|toggles|looks|prints|displays|only)`, "harness B runs at 250 kbit/s"},
	{`we (?:\w+ly )?(?:sample|audit|host|support|pin|bill|charge|treat|separate|cache|encode|poll|rotate|invoice|translate|expose|hash|mirror|archive|clean|merge|cut|branch|review|have to|must|are (?:not )?allowed|pay|own|only|always|never|stop|freeze|keep|use|run|have|follow|call|name|count|build|ship|deploy|store|send|write|read|test|release|sign|tag|log)`, "we sample GPS at 1 Hz"},
}

var englishAcknowledges = lexis.Table{
	{`(?:understood|noted|got it|will do|good to know|i\'ll (?:keep|remember|stick|avoid|follow|do so|make sure|respect)|i won\'t|ok(?:ay)?|sure|of course|fine|agreed|right|thanks|thank you|makes sense|clear|written down|fair|done|all right|alright)`, "Will do."},
}

var englishDemanded = lexis.Table{
	{`(?:remember|note|keep in mind|use|write|name|wrap|prefix|keep|put|avoid|prefer|spell|sort|format|add|call|round|log|test|sign|squash|rebase|label|return|pass|group|order|limit|document|mark|cover|quote|escape|capitali[sz]e|indent|lower|split|leave|treat|skip|include|ask|tell|show|check|run|send|store|make|no|do not|don\'t|please|pls|stick to|go through)`, "wrap errors with %w"},
}
