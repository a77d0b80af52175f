import type { Position } from '#lib/model/position.ts';
import { Tag } from '../ui/tag.tsx';

export function TrackTags({ position }: { readonly position: Position }) {
  return (
    <>
      {position.simulated && <Tag text="SIM" />}
      {position.testBroadcast && <Tag text="TEST" />}
    </>
  );
}
