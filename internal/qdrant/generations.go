package qdrant

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// Of returns the index of another generation of the same ledger, over the same connection. Its
// collections end in the generation's name.
func (x *Index) Of(generation string) *Index {
	if generation == x.generation {
		return x
	}
	return &Index{client: x.client, options: x.options, generation: generation, claims: newClaims()}
}

func newClaims() map[string]*claim {
	claims := map[string]*claim{}
	for _, collection := range everyCollection() {
		claims[collection] = &claim{}
	}
	return claims
}

// everyCollection names the collections of a generation, with that of the archive.
func everyCollection() []string { return append(memory.Collections(), conversation.Collection) }

// generationOf returns the generation of a collection in Qdrant; false if it is none of ours.
func (x *Index) generationOf(physical, collection string) (string, bool) {
	rest, ok := strings.CutPrefix(physical, x.options.Prefix+collection)
	if !ok || rest == "" {
		return "", ok
	}
	name, ok := strings.CutPrefix(rest, ".g")
	if !ok || name == "" || strings.Trim(name, "0123456789") != "" {
		return "", false
	}
	return "g" + name, true
}

// MakeLike implements activities.Index.
func (x *Index) MakeLike(ctx context.Context, active string, dimension int) error {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	for _, collection := range everyCollection() {
		if err := x.makeLike(ctx, x.Of(active), collection, dimension); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) makeLike(ctx context.Context, active *Index, collection string, dimension int) error {
	err := x.with(ctx, collection, func(name string) error { return x.check(ctx, name, collection, dimension) })
	if !missing(err) {
		return err
	}
	info, _, err := active.look(ctx, active.physical(collection))
	if missing(err) { // nothing to be like, such as an archive that was never used
		return x.ensure(ctx, collection, dimension)
	}
	if err != nil {
		return err
	}
	ledger, err := x.options.Ledger.Identity(ctx)
	if err != nil {
		return err
	}
	if err := x.make(ctx, newCollection(x.physical(collection), ledger, dimension, info.GetConfig())); err != nil {
		return err
	}
	name, err := x.claim(ctx, x.physical(collection))
	if err != nil {
		return err
	}
	if err := x.copyRest(ctx, name, info); err != nil {
		return err
	}
	return x.ensure(ctx, collection, dimension)
}

// Drop implements activities.Index.
func (x *Index) Drop(ctx context.Context, heir string) error {
	if x.generation == heir {
		return memory.Errorf(memory.Internal, "", "the generation that answers is not to be dropped")
	}
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	there, err := x.client.ListCollections(ctx)
	if err != nil {
		return x.explain("list the collections", err)
	}
	to := x.Of(heir)
	for _, collection := range everyCollection() {
		physical := x.physical(collection)
		if !slices.Contains(there, physical) {
			continue
		}
		if _, err := x.claim(ctx, physical); err != nil {
			return err
		}
		_, aliases, err := x.look(ctx, physical)
		if err != nil {
			return err
		}
		if slices.Contains(there, to.physical(collection)) {
			if err := x.moveAliases(ctx, physical, to.physical(collection), aliases); err != nil {
				return err
			}
		}
		if err := x.explain("drop collection "+physical, x.client.DeleteCollection(ctx, physical)); err != nil {
			return err
		}
	}
	return nil
}
