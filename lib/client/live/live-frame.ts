import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { RecordColumns } from '#lib/codec/record-columns.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

export interface LayerFrame {
  readonly state: LayerState;
  readonly reason: LiveReason | undefined;
  readonly fetchedAt: UpstreamInstant | undefined;
  readonly failingSince: UpstreamInstant | undefined;
  readonly until: UpstreamInstant | undefined;
  readonly partial: boolean;
  readonly gaps: readonly { readonly bbox: Bbox; readonly reason: LiveReason }[];
  readonly unreadable: number;
  /** `undefined` where the service does not report it. */
  readonly reception: Reception | undefined;
  /** New and changed records by area; others are unchanged. */
  readonly records: readonly RecordColumns[];
}

export interface LiveFrame {
  readonly asOf: UpstreamInstant;
  /** The answer's age on arrival: half the round trip. */
  readonly delayMs: number;
  readonly nextPollMs: number;
  readonly requested: Bbox;
  readonly covered: readonly Bbox[];
  readonly capped: boolean;
  readonly layers: Partial<Readonly<Record<Layer, LayerFrame>>>;
}
