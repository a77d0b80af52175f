import { emergencyWords } from '#lib/model/emergency.ts';
import type { Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { LayerCounts } from '#lib/picture/draw-picture.ts';

/**
 * `2 emergencies · 1 expired · 1 simulated`: real ones are never added to others.
 * @param hidden by a filter
 * @param place of the selected one, from 1
 */
export function emergencyCountText(
  { current, expired }: LayerCounts,
  hidden: number,
  place?: number,
): string | undefined {
  const groups = [
    { count: current.real, what: '' },
    { count: expired.real, what: 'expired' },
    { count: current.test, what: 'test' },
    { count: expired.test, what: 'expired test' },
    { count: current.simulated, what: 'simulated' },
    { count: expired.simulated, what: 'expired simulated' },
    { count: hidden, what: 'hidden by a filter' },
  ].filter(({ count }) => count > 0);
  const [first, ...others] = groups;
  if (!first) return undefined;
  const noun = first.count === 1 ? 'emergency' : 'emergencies';
  const isHidden = first.what === 'hidden by a filter';
  const named = isHidden ? [first.count, noun, first.what] : [first.count, first.what, noun];
  const counted = [named, ...others.map(({ count, what }) => [count, what])].map((words) =>
    words.filter((word) => word !== '').join(' '),
  );
  const onMap = groups.filter(({ what }) => what !== 'hidden by a filter').reduce((sum, { count }) => sum + count, 0);
  if (isHidden) counted.push('Show anyway');
  else if (place !== undefined && onMap > 1) counted.push(`${place} of ${onMap}`);
  return counted.join(' · ');
}

/** The same in the width of a chip, such as `1`, `2 SIM`: each origin apart, and the real ones first. */
export function emergencyNumbers({ current, expired }: LayerCounts, hidden: number): readonly string[] {
  return [
    { count: current.real + expired.real, tag: '' },
    { count: current.test + expired.test, tag: ' TEST' },
    { count: current.simulated + expired.simulated, tag: ' SIM' },
    { count: hidden, tag: ' hidden' },
  ].flatMap(({ count, tag }) => (count > 0 ? `${count}${tag}` : []));
}

/** @param callsUnreal also simulated and test ones */
export function calledEmergencies(emergencies: readonly Position[], callsUnreal: boolean): readonly Position[] {
  return emergencies.filter(({ simulated, testBroadcast }) => callsUnreal || !(simulated || testBroadcast));
}

const NAMED_MAX = 3;

export function emergencyCall(appeared: readonly Position[]): string {
  const named = appeared.slice(0, NAMED_MAX).map((position) => {
    const { kind, ref, emergencyState, simulated, testBroadcast } = position;
    const origin = simulated ? 'Simulated emergency' : testBroadcast ? 'Test emergency' : 'Emergency';
    return `${origin}: ${emergencyWords(emergencyState ?? '').toLowerCase()}, ${kind} ${shortReference(ref)}.`;
  });
  const more = appeared.length - named.length;
  return more > 0 ? `${named.join(' ')} And ${more} more.` : named.join(' ');
}
