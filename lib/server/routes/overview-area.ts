import 'server-only';
import type { OverviewHoursQuery } from '#lib/api/overview.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { groundOf } from '#lib/zones/ground/ground-of.ts';
import type { NamedGround } from '../overview/overview-answers.ts';
import { runtime } from '../runtime.ts';
import { type Viewer, zoneCaller } from './viewer.ts';

/** @throws ApiError if the viewer sees no such zone */
export async function overviewArea(
  { zone, bbox }: Pick<OverviewHoursQuery, 'zone' | 'bbox'>,
  viewer: Viewer,
): Promise<Bbox | NamedGround> {
  if (bbox) return bbox;
  const { id, revision, shape } = await runtime().zones.visible(zoneCaller(viewer), zone ?? '');
  return { name: `${id} ${revision}`, ground: groundOf(shape) };
}
