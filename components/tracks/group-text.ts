import type { GroupName, TrackGroup } from '#lib/picture/list-tracks.ts';
import { countText } from '../layers/count-text.ts';

const NAMES: Readonly<Record<GroupName, string>> = {
  emergency: 'Emergencies',
  aircraft: 'Aircraft',
  drone: 'Drones',
};

export function groupText({ name, counts }: TrackGroup, groups: readonly TrackGroup[]): string {
  const isRest = name !== 'emergency' && groups.some((group) => group.name === 'emergency');
  const { current, expired } = countText(counts, counts);
  const title = isRest ? `Other ${NAMES[name].toLowerCase()}` : NAMES[name];
  return `${title}: ${current}${expired === undefined ? '' : ` · ${expired}`}`;
}
