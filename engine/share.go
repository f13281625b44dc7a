package engine

import (
	"context"
	"time"

	"castellan/engine/search"
)

// claim registers a search in the pool, by what its clock says. A search with
// atMost, which is not 0, has no clock and uses a place for so long.
func (e *Engine) claim(job *search.Job, atMost time.Duration) *claim {
	t := terms{urgency: idle, from: job.Started}
	switch {
	case atMost > 0:
	case job.Limits.PonderHit != nil:
		t.urgency = pondering
	default:
		t = termsOf(budgetOf(job), job.Started)
	}
	c := e.pool.claim(t)
	c.atMost = atMost
	return c
}

func budgetOf(job *search.Job) search.Budget {
	return search.NewBudget(&job.Limits, job.Position.SideToMove(), job.Policy)
}

// termsOf returns the terms of a search with the given budget.
func termsOf(b search.Budget, started time.Time) terms {
	switch {
	case b.Hard == 0:
		return terms{urgency: idle, from: started}
	case b.Hard < pressedBelow:
		return terms{urgency: pressed, from: started, soft: b.Soft}
	}
	return terms{urgency: onClock, from: started, soft: b.Soft}
}

// await waits until the search may begin, not longer than its clock allows, and
// gives one that comes late a time of its own: by its clock it would end with
// the first iteration. A search on the opponent's time does not wait here: it
// becomes one for a move when he moves.
func (e *Engine) await(ctx context.Context, c *claim, job *search.Job) {
	budget := budgetOf(job)
	if hit := job.Limits.PonderHit; hit != nil {
		go func() {
			select {
			case <-hit:
				c.promote(termsOf(budget, time.Now()))
			case <-ctx.Done():
			}
		}()
		return
	}
	if budget.Hard > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, job.Started.Add(budget.Hard))
		defer cancel()
	}
	c.get(ctx)
	waited := time.Since(job.Started)
	if late := budget.Soft / lateShare; budget.Hard > 0 && budget.Soft-waited < late {
		job.Started = job.Started.Add(waited)
		job.Limits.MoveTime = max(leastShare, min(late, budget.Hard-waited))
		job.Policy.Overhead = 0
	}
}
