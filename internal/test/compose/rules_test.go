package compose

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// The programs of mneme, and what must be healthy before they start.
var (
	ours = []string{"worker", "mcp"}
	base = []string{"claude-postgres", "qdrant", "temporal"}
)

// probes are the programs that the images have, by the image's name, as far as health checks may
// use them.
var probes = map[string][]string{
	"postgres":          {"pg_isready"},
	"qdrant/qdrant":     {"bash"},
	"temporalio/server": {"nc"},
	"temporalio/ui":     {"wget"},
	"ollama/ollama":     {"ollama"},
	"mneme":             {"mneme-worker", "mneme-mcp"},
}

// published are the ports that users expect: service, container's port, port of this machine.
var published = []struct {
	service    string
	target     uint32
	port, what string
}{
	{"claude-postgres", 5432, "5436", "PostgreSQL"},
	{"qdrant", 6333, "6334", "Qdrant's REST"},
	{"qdrant", 6334, "6335", "Qdrant's gRPC"},
	{"temporal", 7233, "7233", "Temporal"},
	{"temporal-ui", 8080, "8233", "Temporal's UI"},
	{"mcp", 7433, "7433", "MCP"},
}

// broken returns what is against the rules, a line each.
func broken(p *types.Project) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, name := range p.ServiceNames() {
		s := p.Services[name]
		for _, check := range []func(types.ServiceConfig) []string{image, ports, life, waits, mounts, guarded} {
			for _, problem := range check(s) {
				say("%s: %s", name, problem)
			}
		}
	}
	taken := map[string]string{}
	for _, name := range p.ServiceNames() {
		for _, port := range p.Services[name].Ports {
			if other := taken[port.Published]; other != "" {
				say("%s: %s has its port %s already", name, other, port.Published)
			}
			taken[port.Published] = name
		}
	}
	return append(out, expected(p)...)
}

// expected looks for what the documents promise.
func expected(p *types.Project) []string {
	var out []string
	for _, want := range published {
		if !slices.ContainsFunc(p.Services[want.service].Ports, func(c types.ServicePortConfig) bool {
			return c.Target == want.target && c.Published == want.port
		}) {
			out = append(out, fmt.Sprintf("%s: %s is not at port %s", want.service, want.what, want.port))
		}
	}
	for _, name := range ours {
		for _, need := range base {
			if p.Services[name].DependsOn[need].Condition != types.ServiceConditionHealthy {
				out = append(out, fmt.Sprintf("%s: does not wait until %s is healthy", name, need))
			}
		}
		if !slices.ContainsFunc(p.Services[name].ExtraHosts.AsList(":"), func(h string) bool { return strings.HasPrefix(h, "host.docker.internal:host-gateway") }) {
			out = append(out, name+": cannot reach an Ollama on this machine")
		}
	}
	if image := p.Services["claude-postgres"].Image; image != "postgres:16-alpine" {
		out = append(out, "claude-postgres: is "+image)
	}
	return out
}

// image wants a release, not whatever is newest.
func image(s types.ServiceConfig) []string {
	_, tag, _ := strings.Cut(path.Base(s.Image), ":")
	if tag == "" || tag == "latest" || !strings.ContainsFunc(tag, func(r rune) bool { return r >= '0' && r <= '9' }) && s.Build == nil {
		return []string{"the image " + s.Image + " is not pinned to a release"}
	}
	return nil
}

// ports may be reached from this machine alone.
func ports(s types.ServiceConfig) []string {
	var out []string
	for _, p := range s.Ports {
		if p.HostIP != "127.0.0.1" || p.Published == "" {
			out = append(out, fmt.Sprintf("port %d is not published on 127.0.0.1 alone", p.Target))
		}
	}
	if s.NetworkMode != "" || s.Pid != "" || s.Ipc != "" {
		out = append(out, "shares a namespace with this machine")
	}
	return out
}

// isJob reports whether a service ends by itself.
func isJob(s types.ServiceConfig) bool {
	return strings.HasPrefix(s.Restart, types.RestartPolicyOnFailure)
}

// life is how a service is started again, asked for its health, and what its log may take.
func life(s types.ServiceConfig) []string {
	var out []string
	if s.Logging == nil || s.Logging.Options["max-size"] == "" || s.Logging.Options["max-file"] == "" {
		out = append(out, "its log can fill the disk")
	}
	if isJob(s) {
		return out
	}
	if s.Restart != types.RestartPolicyUnlessStopped {
		out = append(out, "is not started again after a failure")
	}
	if s.StopGracePeriod == nil && slices.ContainsFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Type == types.VolumeTypeVolume }) {
		out = append(out, "keeps data, and has no time of its own to stop")
	}
	h := s.HealthCheck
	if h == nil || h.Disable || len(h.Test) < 2 {
		return append(out, "has no health check")
	}
	if h.Interval == nil || h.Timeout == nil || h.Retries == nil || h.StartPeriod == nil {
		out = append(out, "its health check leaves times to Docker")
	}
	name, _, _ := strings.Cut(s.Image, ":")
	test := strings.Join(h.Test[1:], " ")
	if !slices.ContainsFunc(probes[name], func(program string) bool {
		return h.Test[0] == "CMD" && h.Test[1] == program || h.Test[0] == "CMD-SHELL" && strings.Contains(test, program+" ")
	}) {
		out = append(out, fmt.Sprintf("its image has nothing that runs the health check %q", test))
	}
	return out
}

// waits wants to know of what others are waited for.
func waits(s types.ServiceConfig) []string {
	var out []string
	for name, d := range s.DependsOn {
		if d.Condition == types.ServiceConditionStarted || !d.Required {
			out = append(out, "does not wait until "+name+" can be used")
		}
	}
	return out
}

// mounts keep data in volumes with names, and change no file of the check-out.
func mounts(s types.ServiceConfig) []string {
	var out []string
	for _, v := range s.Volumes {
		switch {
		case v.Type == types.VolumeTypeVolume && v.Source == "":
			out = append(out, v.Target+" is a volume without a name")
		case v.Type == types.VolumeTypeBind && !v.ReadOnly:
			out = append(out, v.Target+" can be written to on this machine")
		}
	}
	return out
}

// guarded is what the programs of mneme may not do.
func guarded(s types.ServiceConfig) []string {
	var out []string
	if s.Privileged || len(s.CapAdd) > 0 {
		out = append(out, "has rights of the machine's root")
	}
	if !slices.Contains(ours, s.Name) {
		return out
	}
	if !s.ReadOnly {
		out = append(out, "its file system can be written to")
	}
	if !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
		out = append(out, "keeps rights that it does not need")
	}
	if uid, _, _ := strings.Cut(s.User, ":"); s.User != "" {
		if n, err := strconv.Atoi(uid); err != nil || n == 0 {
			out = append(out, "runs as the user "+s.User)
		}
	}
	return out
}
