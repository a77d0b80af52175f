import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import type { ViewerPage } from './plan/demand.ts';
import type { RefreshJob } from './refresh-job.ts';

/** The servers that share a database; `writer` is `undefined` while it is not known which of them sends the requests. */
export interface KnownServers {
  readonly writer: string | undefined;
  readonly all: readonly { readonly name: string; readonly viewers: number }[];
}

/** The planned refreshes, by this server's own plan or by the writer's. */
export interface PlannedAreas {
  /** One for each area of the plan. */
  readonly jobs: readonly RefreshJob[];
  /** Requests per second that the allowance permits; `undefined` while the allowance is unknown. */
  readonly ratePerS: number | undefined;
  /** Requests per second that refreshes make at their intervals. */
  readonly refreshesPerS: number;
  readonly viewers: number;
  readonly isKeyRefused: boolean;
  /** As far as is known here; none for a server alone. */
  readonly servers?: KnownServers;
  /**
   * Records a viewer's viewport. Plans its boxes, and requests places that were never read as soon as the operator's
   * first views allow it. Resolves when that is planned, or cannot be planned now.
   */
  look(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void>;
  /** Jobs whose area shares some place with the box. */
  jobsOver(layer: Layer, box: Bbox): readonly RefreshJob[];
  /** Whether a request may be made for the area now, or the one reason why it is not refreshed. */
  mayRequest(job: RefreshJob): MayRequest;
  /** Observations per second expected in a box, estimated from its number of tracks; `undefined` where none was read. */
  expectedPerSecond(layer: Layer, box: Bbox): number | undefined;
  /** The circuit's state for the layer's requests. */
  operation(layer: Layer): OperationState;
  /** Requests the areas of a layer that were denied or failed now, whatever they were waiting for. */
  retryNow(layer: Layer): void;
}
