import { MINUTE_MS, SECOND_MS } from '../time/time-units.ts';

/** Rounds down: `12 s`, `3 min`, `2 h 5 min`, `3 d`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}

/** A countdown, which never ends later than it says: `in 12 s`, `in 3 min`, `now`. */
export function countdownText(ms: number): string {
  if (ms <= 0) return 'now';
  const stepMs = ms <= 99_000 ? SECOND_MS : MINUTE_MS;
  return `in ${durationText(Math.ceil(ms / stepMs) * stepMs)}`;
}
