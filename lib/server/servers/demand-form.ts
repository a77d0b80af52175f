import 'server-only';
import { z } from 'zod';
import { layerSchema } from '#lib/api/layer-schema.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { Demand } from '../live/plan/demand.ts';
import { foldViewports, type ReportedCell } from '../live/plan/demand-of-all.ts';

const lonSchema = z.number().min(-180).max(180);
const latSchema = z.number().min(-90).max(90);
/** West, south, east, north; does not cross 180°. */
export const boxSchema = z
  .tuple([lonSchema, latSchema, lonSchema, latSchema])
  .refine(([west, south, east, north]) => west <= east && south <= north);

const cellsSchema = z.array(
  z.object({
    layer: layerSchema,
    box: boxSchema,
    views: z.array(z.tuple([z.string(), z.int().positive()])),
    unread: z.array(z.string()),
    isRead: z.boolean(),
  }),
);

export function writeCells(demand: Demand): string {
  const cells: z.infer<typeof cellsSchema> = LAYERS.flatMap((layer) =>
    foldViewports(demand.viewports(layer)).map(({ bbox, views, unread, isRead }) => ({
      layer,
      box: corners(bbox) as [number, number, number, number],
      views: [...views],
      unread: [...unread.keys()],
      isRead,
    })),
  );
  return JSON.stringify(cells);
}

export function readCells(text: string): readonly ReportedCell[] | undefined {
  try {
    return cellsSchema.parse(JSON.parse(text)).map(({ layer, box, views, unread, isRead }) => ({
      layer,
      bbox: boxFromCorners(box),
      views: new Map(views),
      unread: new Set(unread),
      isRead,
    }));
  } catch {
    return undefined;
  }
}
