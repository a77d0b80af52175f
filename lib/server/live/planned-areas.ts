import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { KnownFailure } from '../supervision/supervisor.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import type { ViewerPage } from './plan/demand.ts';
import type { RefreshJob } from './refresh-job.ts';

/** `writer` is `undefined` while unknown. */
export interface KnownServers {
  readonly writer: string | undefined;
  readonly all: readonly { readonly name: string; readonly viewers: number }[];
  /** Failing parts of the writer; none on the writer itself. */
  readonly failing: readonly KnownFailure[];
}

export interface PlannedAreas {
  readonly jobs: readonly RefreshJob[];
  /** The requests a second; `undefined` while the allowance is unknown. */
  readonly ratePerS: number | undefined;
  readonly refreshesPerS: number;
  readonly viewers: number;
  readonly isKeyRefused: boolean;
  /** The servers that share the database; `undefined` for a server alone. */
  readonly servers?: KnownServers;
  /** Keeps what a viewer wants. Resolves when the boxes are planned, or cannot be now. */
  register(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void>;
  jobsOver(layer: Layer, box: Bbox): readonly RefreshJob[];
  mayRequest(job: RefreshJob): MayRequest;
  /** The records a second that a box is expected to have; `undefined` where no area was read. */
  expectedPerSecond(layer: Layer, box: Bbox): number | undefined;
  operation(layer: Layer): OperationState;
  /** Makes denied or failed areas due at once. */
  retryNow(layer: Layer): void;
}
