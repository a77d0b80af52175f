import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import { WATCHED_MAX_MS } from '#lib/zones/watched-limits.ts';
import type { PlannedAreas } from '../../live/planned-areas.ts';
import type { UnwatchedReason, WhyUnread } from './watch-notes.ts';

export function whyUnread(planned: Pick<PlannedAreas, 'jobsOver'>): WhyUnread {
  return (layer, box) => {
    const over = planned.jobsOver(layer, box);
    const failure = over.find((job) => job.failure)?.failure;
    if (failure) return unwatchedReason(failure.cooldown.reason);
    return over.some(({ intervalMs }) => intervalMs > WATCHED_MAX_MS) ? 'allowance' : undefined;
  };
}

export function unwatchedReason(reason: LiveReason): UnwatchedReason {
  switch (reason) {
    case 'allowance_used_up':
    case 'share_used_up':
    case 'waits_its_turn':
      return 'allowance';
    case 'no_writer':
      return 'no_writer';
    case 'storage_failed':
    case 'database_lost':
      return 'stopped';
    case 'pages_endless':
      return 'capped';
    default:
      return 'upstream';
  }
}
