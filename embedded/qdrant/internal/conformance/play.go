package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/health/grpc_health_v1" // registers grpc.health.v1
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

const (
	callTimeout = 30 * time.Second      // for one call
	pollTimeout = 60 * time.Second      // for a step that waits
	pollPause   = 50 * time.Millisecond // between the calls of such a step
	wrongKey    = "certainly-not-the-key"
)

// A Player plays scenarios against one server. Close it when done.
type Player struct {
	conn *grpc.ClientConn
	keys Keys
}

// Keys are the API keys that a server was started with.
type Keys struct {
	All      string // good for everything; empty if the server wants none
	ReadOnly string // good for reading; sent by steps with Auth "read-only"
}

// Dial connects to the server at addr, a host:port of gRPC. It does not wait for an answer.
// Interceptors stand between the calls and the connection.
func Dial(addr string, keys Keys, interceptors ...grpc.UnaryClientInterceptor) (*Player, error) {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithChainUnaryInterceptor(interceptors...))
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", addr, err)
	}
	return &Player{conn: conn, keys: keys}, nil
}

// Close ends the connection.
func (p *Player) Close() error { return p.conn.Close() }

// Play performs the steps of a scenario and returns it with the answers that it got. A
// refusal is an answer; an error means that the recording is broken or ctx ended.
func (p *Player) Play(ctx context.Context, s Scenario) (Scenario, error) {
	s = s.unanswered()
	p.deleteAll(ctx, s.Collections)
	defer p.deleteAll(ctx, s.Collections)
	saved := make(map[string]string)
	for i := range s.Steps {
		if err := p.step(ctx, &s.Steps[i], saved); err != nil {
			return s, fmt.Errorf("step %q: %w", s.Steps[i].Name, err)
		}
		if err := ctx.Err(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// deleteAll removes collections; missing collections do no harm.
func (p *Player) deleteAll(ctx context.Context, names []string) {
	for _, name := range names {
		reply := new(qdrant.CollectionOperationResponse)
		_ = p.invoke(ctx, "qdrant.Collections/Delete", "", &qdrant.DeleteCollection{CollectionName: name}, reply)
	}
}

// step makes the call of one step, again and again if it waits for something.
func (p *Player) step(ctx context.Context, step *Step, saved map[string]string) error {
	request, response, err := messages(step.Method)
	if err != nil {
		return err
	}
	if err := protojson.Unmarshal(expand(step.Request, saved), request); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	for deadline := time.Now().Add(pollTimeout); ; time.Sleep(pollPause) {
		proto.Reset(response)
		err := p.invoke(ctx, step.Method, step.Auth, request, response)
		if err != nil {
			st := status.Convert(err)
			step.Error = &Status{Code: st.Code().String(), Message: string(conceal([]byte(st.Message()), saved))}
			return nil
		}
		if step.Response, err = marshal(response); err != nil {
			return err
		}
		if step.Until == "" || holds(step.Response, step.Until) || time.Now().After(deadline) {
			break
		}
	}
	for name, path := range step.Save {
		value, _ := find(decode(step.Response), path).(string)
		if value == "" {
			continue
		}
		saved[name] = value
	}
	step.Response = conceal(step.Response, saved)
	return nil
}

// invoke makes one call with the key that auth asks for.
func (p *Player) invoke(ctx context.Context, method, auth string, request, response proto.Message) error {
	key := p.keys.All
	switch auth {
	case "none":
		key = ""
	case "wrong":
		key = wrongKey
	case "read-only":
		key = p.keys.ReadOnly
	}
	if key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "api-key", key)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return p.conn.Invoke(ctx, "/"+method, request, response)
}

// messages makes an empty request and an empty response for a method.
func messages(method string) (request, response proto.Message, err error) {
	name := protoreflect.FullName(strings.ReplaceAll(method, "/", "."))
	desc, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		return nil, nil, fmt.Errorf("method %s: %w", method, err)
	}
	m, ok := desc.(protoreflect.MethodDescriptor)
	if !ok {
		return nil, nil, fmt.Errorf("%s is not a method", method)
	}
	in, err := protoregistry.GlobalTypes.FindMessageByName(m.Input().FullName())
	if err != nil {
		return nil, nil, err
	}
	out, err := protoregistry.GlobalTypes.FindMessageByName(m.Output().FullName())
	if err != nil {
		return nil, nil, err
	}
	return in.New().Interface(), out.New().Interface(), nil
}

// marshal is protojson without its random white space.
func marshal(m proto.Message) (json.RawMessage, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// expand puts saved values in the place of "${name}".
func expand(text []byte, saved map[string]string) []byte {
	for name, value := range saved {
		text = bytes.ReplaceAll(text, []byte("${"+name+"}"), []byte(value))
	}
	return text
}

// conceal is the reverse of expand: an answer that repeats a saved value names
// it instead.
func conceal(text []byte, saved map[string]string) []byte {
	for name, value := range saved {
		text = bytes.ReplaceAll(text, []byte(value), []byte("${"+name+"}"))
	}
	return text
}

// holds tells whether a response satisfies "path=value". A number that is
// zero is left out of protojson.
func holds(response json.RawMessage, condition string) bool {
	path, want, _ := strings.Cut(condition, "=")
	value := find(decode(response), path)
	return fmt.Sprint(value) == want || value == nil && want == "0"
}
