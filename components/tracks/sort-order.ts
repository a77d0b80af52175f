import * as z from 'zod/mini';
import type { SortKey, SortOrder } from '#lib/picture/list-tracks.ts';
import { TABLE_COLUMNS, type TableColumn } from '#lib/picture/table-columns.ts';

/** References are rotating handles: a meaningless order, but stable while values change. */
export const INITIAL_ORDER: SortOrder = [{ column: 'ref', descending: false }];

export const orderSchema: z.ZodMiniType<SortOrder> = z
  .array(z.object({ column: z.enum(TABLE_COLUMNS), descending: z.boolean() }))
  .check(
    z.minLength(1),
    z.maxLength(2),
    z.refine(([first, second]) => first?.column !== second?.column),
  );

const LARGEST_FIRST: ReadonlySet<TableColumn> = new Set(['altitudeM', 'heightAglM', 'speedMps']);

export function firstSort(column: TableColumn): SortKey {
  return { column, descending: LARGEST_FIRST.has(column) };
}

export function orderAfterClick(order: SortOrder, column: TableColumn): SortOrder {
  const [first] = order;
  if (first?.column !== column) return [firstSort(column)];
  return [{ column, descending: !first.descending }];
}

/**
 * The order after a Shift click: the clicked column is the second, reversed with each further click. The first can be
 * reversed too.
 */
export function orderAfterShiftClick(order: SortOrder, column: TableColumn): SortOrder {
  const [first, second] = order;
  if (!first) return [firstSort(column)];
  if (first.column === column) return [{ column, descending: !first.descending }, ...(second ? [second] : [])];
  return [first, second?.column === column ? { column, descending: !second.descending } : firstSort(column)];
}

export interface ColumnSort {
  readonly place: 1 | 2;
  readonly direction: 'ascending' | 'descending';
}

export function sortOf(order: SortOrder, column: TableColumn): ColumnSort | undefined {
  const at = order.findIndex((key) => key.column === column);
  const key = order[at];
  return key && { place: at === 0 ? 1 : 2, direction: key.descending ? 'descending' : 'ascending' };
}
