import { expect, test } from 'vitest';
import type { Zone } from '#lib/api/watching/zones.ts';
import { instantOf } from '#lib/time/instant.ts';
import { changesBefore } from './drawn-zones.tsx';

const at = (time: string) => `2026-11-27T${time}Z`;
const zone = (id: string, changed: string, removed: string | null = null) => ({
  zone: { id, changed_at: at(changed), removed_at: removed && at(removed) } as Zone,
});

test('a zone that is removed or changed within the minute leaves a replay at that second', () => {
  const past = [zone('removed', '11:00:00', '12:00:20'), zone('changed', '11:00:00')];
  const present = [zone('changed', '12:00:40'), zone('new', '12:00:30'), zone('old', '11:00:00')];
  const shown = (time: string) => {
    const { changed, removed } = changesBefore(instantOf(at(time)), past, present);
    const ids = past
      .map((each) => each.zone.id)
      .filter((id) => !removed.includes(id) && changed.every((each) => each.id !== id));
    return [...ids, ...changed.map(({ id, changed_at }) => `${id} of ${changed_at.slice(11, 19)}`)];
  };
  expect(shown('12:00:10')).toEqual(['removed', 'changed']);
  expect(shown('12:00:20')).toEqual(['changed']);
  expect(shown('12:00:59')).toEqual(['changed of 12:00:40', 'new of 12:00:30']);
});
