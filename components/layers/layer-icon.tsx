import { Drone, Plane } from 'lucide-react';
import type { Layer } from '#lib/model/position.ts';

/** A layer's icon, for places too narrow for its name. Decorative: the name goes beside it for screen readers. */
export function LayerIcon({ layer }: { readonly layer: Layer }) {
  const Icon = layer === 'rid' ? Drone : Plane;
  return <Icon aria-hidden size={14} strokeWidth={1.75} className="shrink-0" />;
}
