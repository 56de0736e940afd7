package qdrant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/memory"
)

// Ledger is the ledger that an index belongs to.
type Ledger interface {
	// Identity returns its name, a UUID that no other ledger has.
	Identity(ctx context.Context) (string, error)
	// Wrote reports whether it wrote all of these points: ids with the content hash that each has.
	Wrote(ctx context.Context, points map[string]string) (bool, error)
}

// ledgerKey is the entry of a collection's metadata that names its ledger.
const ledgerKey = "mneme_ledger"

// claim is what this process knows of whose a collection is.
type claim struct {
	mu    sync.Mutex // held while the server is asked
	alias string     // under which it is addressed; "" until it was found to be this ledger's
}

// physical is the name of a collection in Qdrant.
func (x *Index) physical(collection string) string {
	name := x.options.Prefix + collection
	if x.generation != "" {
		name += "." + x.generation
	}
	return name
}

// alias is a name that only this ledger's collection has. If the collection was
// replaced in the meantime, a call by this name cannot touch the replacement:
// it does not find anything.
func alias(physical, ledger string) string { return physical + "." + ledger }

// with does something to a collection under the name that only this ledger's
// has, after the collection was found to be this ledger's. When the name is
// gone it looks again, and tries once more if the collection is still there.
// Do may therefore run twice, and must say by [missing] that it found nothing.
//
// The error is [memory.Refused] for a collection of another ledger, and fits
// [missing] where there is none.
func (x *Index) with(ctx context.Context, collection string, do func(name string) error) error {
	c := x.claims[collection]
	if c == nil {
		return memory.Errorf(memory.Invalid, "", "there is no collection %q", collection)
	}
	name, err := x.claimed(ctx, c, x.physical(collection), "")
	if err != nil {
		return err
	}
	if err = do(name); !missing(err) {
		return err
	}
	if name, err = x.claimed(ctx, c, x.physical(collection), name); err != nil {
		return err
	}
	return do(name)
}

// claimed returns the name to address a collection by, and looks whose it is
// unless that is known. Lost is a name under which nothing was found.
func (x *Index) claimed(ctx context.Context, c *claim, physical, lost string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alias != "" && c.alias != lost {
		return c.alias, nil
	}
	c.alias = ""
	name, err := x.claim(ctx, physical)
	if err == nil {
		c.alias = name
	}
	return name, err
}

// claim makes sure that a collection is this ledger's, and returns the name
// that only this ledger's collection has. One that names no ledger is adopted
// if it may be, see [Index.adoptable].
func (x *Index) claim(ctx context.Context, physical string) (string, error) {
	ledger, err := x.options.Ledger.Identity(ctx)
	if err != nil {
		return "", err
	}
	info, aliases, err := x.look(ctx, physical)
	if err != nil {
		return "", err
	}
	switch owner := ownerOf(info, physical, aliases); owner {
	case ledger:
	case "":
		if err := x.adopt(ctx, physical, ledger, info); err != nil {
			return "", err
		}
	default:
		return "", x.foreign(physical, owner, ledger)
	}
	return x.address(ctx, physical, ledger)
}

// look reads a collection's description and its aliases.
func (x *Index) look(ctx context.Context, physical string) (*qdrant.CollectionInfo, []string, error) {
	info, err := x.client.GetCollectionInfo(ctx, physical)
	if err != nil {
		return nil, nil, x.explain("look at collection "+physical, err)
	}
	aliases, err := x.client.ListCollectionAliases(ctx, physical)
	return info, aliases, x.explain("look for the aliases of "+physical, err)
}

// ownerOf returns the ledger that a collection is made for, "" if it names
// none. Qdrant keeps metadata since 1.16; in an older one the alias tells.
func ownerOf(info *qdrant.CollectionInfo, physical string, aliases []string) string {
	if owner := info.GetConfig().GetMetadata()[ledgerKey].GetStringValue(); owner != "" {
		return owner
	}
	for _, a := range aliases {
		if ledger, ok := ledgerOf(physical, a); ok {
			return ledger
		}
	}
	return ""
}

// ledgerOf reads the ledger out of an alias that we made.
func ledgerOf(physical, alias string) (string, bool) {
	ledger, ok := strings.CutPrefix(alias, physical+".")
	return ledger, ok && memory.ValidID(ledger)
}

// address gives a collection of this ledger the name that it is addressed by,
// and looks once more whose it is.
//
// Two ledgers may adopt an empty collection in the same moment. Each writes
// its identity, takes away the other's alias if it sees one, makes its own, and
// only then reads the identity again. The one that wrote first either reads the
// other's here, or was early enough for the other to take its alias away.
func (x *Index) address(ctx context.Context, physical, ledger string) (string, error) {
	name := alias(physical, ledger)
	for range 2 {
		info, aliases, err := x.look(ctx, physical)
		if err != nil {
			return "", err
		}
		if owner := ownerOf(info, physical, aliases); owner != ledger && owner != "" {
			return "", errors.Join(x.foreign(physical, owner, ledger), x.changeAliases(ctx, physical, []string{name}, ""))
		}
		there, others := false, []string{}
		for _, a := range aliases {
			if _, ours := ledgerOf(physical, a); a == name {
				there = true
			} else if ours {
				others = append(others, a)
			}
		}
		if there && len(others) == 0 {
			return name, nil
		}
		if err := x.changeAliases(ctx, physical, others, name); err != nil {
			return "", err
		}
	}
	return name, nil
}

// changeAliases drops aliases of a collection and makes one, if it is not "",
// all at once.
func (x *Index) changeAliases(ctx context.Context, physical string, drop []string, make string) error {
	var actions []*qdrant.AliasOperations
	for _, a := range drop {
		actions = append(actions, qdrant.NewAliasDelete(a))
	}
	if make != "" {
		actions = append(actions, qdrant.NewAliasCreate(make, physical))
	}
	return x.explain("name collection "+physical, x.client.UpdateAliases(ctx, actions))
}

const hintOther = "set MNEME_QDRANT_PREFIX to a word of this ledger's own, or use another Qdrant: " +
	"what is there is neither searched nor changed nor deleted"

// foreign is the error for a collection of another ledger.
func (x *Index) foreign(physical, owner, ledger string) error {
	return memory.Refusal("Qdrant", hintOther, fmt.Errorf(
		"the collection %s in Qdrant at %s belongs to the ledger %s, and this one is %s", physical, x.options.Address, owner, ledger))
}
