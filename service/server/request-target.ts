import {
  LAYERS,
  type Layer,
  MODES,
  type Mode,
  type OperationId,
  operationId,
  operationPath,
} from '#lib/contract/operation.ts';

export const BASE_PATH = '/v1';

export interface Operation {
  readonly id: OperationId;
  readonly mode: Mode;
  readonly layer: Layer;
}

export interface RequestTarget {
  /** `undefined` unless the path matches byte for byte. */
  readonly operation: Operation | undefined;
  readonly query: string;
}

const operationByPath: ReadonlyMap<string, Operation> = new Map(
  MODES.flatMap((mode) =>
    LAYERS.map((layer) => [BASE_PATH + operationPath(mode, layer), { id: operationId(mode, layer), mode, layer }]),
  ),
);

/** A server must also accept the absolute form of a target (RFC 9112, 3.2.2). */
const absoluteFormAuthority = /^https?:\/\/[^/?#]*/i;

export function readRequestTarget(target: string): RequestTarget {
  const pathAndQuery = target.replace(absoluteFormAuthority, '');
  const queryAt = pathAndQuery.indexOf('?');
  const path = queryAt === -1 ? pathAndQuery : pathAndQuery.slice(0, queryAt);
  return { operation: operationByPath.get(path), query: queryAt === -1 ? '' : pathAndQuery.slice(queryAt + 1) };
}
