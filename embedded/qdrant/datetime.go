package qdrant

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// timeLayouts are the spellings Qdrant reads, without a zone in UTC. Go takes
// a fraction of a second wherever seconds stand.
var timeLayouts = [...]string{
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02 15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02 15:04:05Z07",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
	"2006-01-02",
}

func parseTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02") || s[4] != '-' {
		return time.Time{}, false // most strings are no times: say so quickly
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// A timeRange is a datetime condition. Nil bounds are open.
type timeRange struct{ gt, gte, lt, lte *time.Time }

func newTimeRange(gt, gte, lt, lte *timestamppb.Timestamp) timeRange {
	return timeRange{moment(gt), moment(gte), moment(lt), moment(lte)}
}

func moment(t *timestamppb.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	out := t.AsTime()
	return &out
}

func (r timeRange) holds(t time.Time) bool {
	return (r.gt == nil || t.After(*r.gt)) && (r.gte == nil || !t.Before(*r.gte)) &&
		(r.lt == nil || t.Before(*r.lt)) && (r.lte == nil || !t.After(*r.lte))
}

// micros is the range as an index sees it, which keeps microseconds.
func (r timeRange) micros() numberRange[int64] {
	return numberRange[int64]{microsOf(r.gt), microsOf(r.gte), microsOf(r.lt), microsOf(r.lte)}
}

func microsOf(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	us := t.UnixMicro()
	return &us
}

// A numberRange is a range condition. Nil bounds are open.
type numberRange[T int64 | float64] struct{ gt, gte, lt, lte *T }

func (r numberRange[T]) holds(x T) bool {
	return (r.gt == nil || x > *r.gt) && (r.gte == nil || x >= *r.gte) &&
		(r.lt == nil || x < *r.lt) && (r.lte == nil || x <= *r.lte)
}
