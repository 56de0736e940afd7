package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/memory"
)

// Several ledgers may share a Temporal namespace. Names in the namespace carry
// the ledger's identity, so that no worker takes another ledger's work: the task
// queue, the schedules, and the ids of those workflows of which there is one for
// a text, a key or a ledger.

// oldQueue is where workers listened before ledgers had identities.
const oldQueue = "mneme"

// TaskQueue is where the workers of a ledger listen. Without a ledger it is
// the queue of releases that knew no identities.
func TaskQueue(ledger string) string {
	if ledger == "" {
		return oldQueue
	}
	return oldQueue + "-" + ledger
}

// organizePrefix begins the id of the schedule by which a ledger makes itself
// known in a namespace.
const organizePrefix = "organize-weekly"

// OrganizeSchedule is the id of a ledger's weekly organize run.
func OrganizeSchedule(ledger string) string { return scheduleID(organizePrefix, ledger) }

// SnapshotSchedule is the id of a ledger's nightly snapshot.
func SnapshotSchedule(ledger string) string { return scheduleID("snapshot-nightly", ledger) }

// IndexSchedule is the id of a ledger's nightly look at its index.
func IndexSchedule(ledger string) string { return scheduleID("index-nightly", ledger) }

func scheduleID(prefix, ledger string) string {
	if ledger == "" {
		return prefix // as releases that knew no identities called it
	}
	return prefix + "-" + ledger
}

// tagLength is how much of an identity a workflow's id carries: people read
// them, and it is enough to tell a handful of ledgers apart.
const tagLength = 8

// Own adds the ledger to a workflow's id that another ledger in the namespace
// would give its own as well.
func Own(id, ledger string) string {
	if ledger == "" {
		return id
	}
	return id + "@" + ledger[:min(tagLength, len(ledger))]
}

// Ledgers returns the identities of the ledgers for which a worker ever
// started in the client's namespace, in order.
func Ledgers(ctx context.Context, c client.Client) ([]string, error) {
	list, err := c.ScheduleClient().List(ctx, client.ScheduleListOptions{PageSize: 1000})
	if err != nil {
		return nil, fromTemporal(err)
	}
	var ledgers []string
	for list.HasNext() {
		s, err := list.Next()
		if err != nil {
			return nil, fromTemporal(err)
		}
		if ledger, ok := strings.CutPrefix(s.ID, organizePrefix+"-"); ok && memory.ValidID(ledger) {
			ledgers = append(ledgers, ledger)
		}
	}
	slices.Sort(ledgers)
	return ledgers, nil
}

// FindLedger returns the ledger that a door asks: the wanted one if workers
// know it, or without a wish the only one that there is. Anything else would be
// work that nobody takes, or that goes to somebody else's memory.
func FindLedger(ctx context.Context, c client.Client, wanted string) (string, error) {
	ledgers, err := Ledgers(ctx, c)
	if err != nil {
		return "", err
	}
	there := "those here are " + strings.Join(ledgers, ", ")
	switch {
	case len(ledgers) == 0:
		return "", memory.Down("Temporal", `start one with "mneme up" or mneme-worker; an older one must be replaced by one of this version`,
			errors.New("no worker of mneme has ever started in this namespace"))
	case wanted != "" && slices.Contains(ledgers, wanted):
		return wanted, nil
	case wanted != "":
		return "", memory.Down("Temporal", "check MNEME_LEDGER and MNEME_TEMPORAL_NAMESPACE: "+there,
			fmt.Errorf("no worker of the ledger %s has ever started in this namespace", wanted))
	case len(ledgers) > 1:
		return "", memory.Down("Temporal", "set MNEME_LEDGER to the one to ask: "+there,
			fmt.Errorf("%d ledgers share this namespace", len(ledgers)))
	}
	return ledgers[0], nil
}
