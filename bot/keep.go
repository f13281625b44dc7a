package bot

import (
	"time"

	"castellan/bot/opponents"
)

// saveEvery is the least time between two writings of what is known of opponents.
const saveEvery = 10 * time.Second

// keepBook writes what is known of opponents to its file when it has changed, beside the loop.
func (b *Bot) keepBook() {
	now := time.Now()
	if b.opts.StateDir == "" || b.saving || now.Before(b.saveAt) {
		return
	}
	content := b.book.Changed(now)
	if content == nil {
		return
	}
	b.saving, b.saveAt = true, now.Add(saveEvery)
	b.work.Go(func() {
		err := opponents.Save(b.opts.StateDir, content)
		b.tell(func() {
			b.saving = false
			if err != nil {
				b.log.Error("what is known of opponents cannot be kept, trying again", "err", err)
				b.book.Unsaved()
			}
		})
	})
}

// closeBook writes the rest when all else has ended.
func (b *Bot) closeBook() {
	if b.opts.StateDir == "" {
		return
	}
	if content := b.book.Changed(time.Now()); content != nil {
		if err := opponents.Save(b.opts.StateDir, content); err != nil {
			b.log.Error("what is known of opponents cannot be kept", "err", err)
		}
	}
}
