import { Drone, Plane } from 'lucide-react';
import type { Layer } from '#lib/model/position.ts';

export function LayerIcon({ layer }: { readonly layer: Layer }) {
  const Icon = layer === 'rid' ? Drone : Plane;
  return <Icon aria-hidden size={14} strokeWidth={1.75} className="shrink-0" />;
}
