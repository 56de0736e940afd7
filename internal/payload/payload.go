// Package payload encrypts what Temporal keeps: the inputs and results of workflows and their
// steps, and the messages of their failures. The command, the MCP server, the hooks and the
// workers encrypt each payload before sending and decrypt each received one, so that no Temporal
// server, embedded or given, sees or stores a readable text. Ids and search attributes stay readable, and hold no text.
//
// A payload is sealed with AES-256-GCM and carries the id of its key. A [Keyring] holds one
// key for sealing and older keys for opening. Unsealed payloads of earlier releases are read
// unchanged.
package payload

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-memory/mneme/memory"
)

// The metadata of a sealed payload. Temporal's own examples of codecs use the same words, so
// its tools know that such a payload cannot be read without one.
const (
	metaEncoding = converter.MetadataEncoding
	metaKeyID    = "encryption-key-id"
	sealed       = "binary/encrypted"
)

// Codec seals and opens payloads with the keys of a keyring.
type Codec struct{ Keys *Keyring }

var _ converter.PayloadCodec = Codec{}

// Encode seals payloads. One that is sealed already stays as it is: when a call is repeated,
// its message comes by a second time.
func (c Codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if isSealed(p) {
			out[i] = p
			continue
		}
		key, err := c.Keys.current()
		if err != nil {
			return nil, err
		}
		if out[i], err = key.seal(p); err != nil {
			return nil, fmt.Errorf("encrypt a payload: %w", err)
		}
	}
	return out, nil
}

// Decode opens sealed payloads, and returns others as they are.
func (c Codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if !isSealed(p) {
			out[i] = p
			continue
		}
		key, err := c.Keys.find(string(p.GetMetadata()[metaKeyID]))
		if err != nil {
			return nil, err
		}
		if out[i], err = key.open(p); err != nil {
			return nil, fmt.Errorf("decrypt a payload: %w", err)
		}
	}
	return out, nil
}

func isSealed(p *commonpb.Payload) bool { return string(p.GetMetadata()[metaEncoding]) == sealed }

// KeyID returns the id of the key that sealed a payload; "" if it is not sealed.
func KeyID(p *commonpb.Payload) string {
	if !isSealed(p) {
		return ""
	}
	return string(p.GetMetadata()[metaKeyID])
}

// seal encrypts a whole payload, its metadata too.
func (k key) seal(p *commonpb.Payload) (*commonpb.Payload, error) {
	plain, err := proto.Marshal(p)
	if err != nil {
		return nil, err
	}
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	rand.Read(nonce) // never fails: see crypto/rand
	return &commonpb.Payload{
		Metadata: map[string][]byte{metaEncoding: []byte(sealed), metaKeyID: []byte(k.id)},
		Data:     aead.Seal(nonce, nonce, plain, []byte(k.id)),
	}, nil
}

func (k key) open(p *commonpb.Payload) (*commonpb.Payload, error) {
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	data := p.GetData()
	if len(data) < aead.NonceSize() {
		return nil, errors.New("it is too short")
	}
	plain, err := aead.Open(nil, data[:aead.NonceSize()], data[aead.NonceSize():], []byte(k.id))
	if err != nil {
		return nil, memory.Errorf(memory.Internal, "", "it was changed, or the key %s is another than it was sealed with: %w", k.id, err)
	}
	out := &commonpb.Payload{}
	return out, proto.Unmarshal(plain, out)
}

func (k key) aead() (cipher.AEAD, error) { return newAEAD(k.secret[:]) }
