import 'server-only';
import type { ExportFormat } from '#lib/api/export-format.ts';
import type { ExportQuery } from '#lib/api/query.ts';
import { formatFilter } from '#lib/filter/filter-parameters.ts';
import { formatBbox, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import { formatInstant } from '#lib/time/instant.ts';
import type { Actor } from '../audit/audit-row.ts';
import { type ExportItem, liveItems, pastItems, trailItems } from '../export/export-items.ts';
import { EXPORT_WRITERS, type ExportHead, type ExportWriter } from '../export/export-writers.ts';
import { runtime } from '../runtime.ts';
import { loadWithAudit } from './load-with-audit.ts';
import { pageOf, queryWithinRole, type Viewer } from './viewer.ts';

export interface Export {
  readonly headers: Readonly<Record<string, string>>;
  /** @throws ApiError for a window or area that cannot be loaded */
  readonly body: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

export async function exportOf(
  { format, filter, live, past }: ExportQuery,
  viewer: Viewer,
  actor: Actor,
): Promise<Export> {
  const writer = EXPORT_WRITERS[format]();
  const { clock, live: engine, trails: kept } = runtime();
  const parameters = formatFilter(filter).join('&');
  if (past) {
    const { bbox, layers } = past;
    const window = { start: formatInstant(past.window.start), end: formatInstant(past.window.end) };
    const covered = splitAtAntimeridian(bbox);
    const head = { covered, layers, asOf: formatInstant(clock.now()), window, filter: parameters };
    return {
      headers: fileHeaders(writer, format, layers, window.start),
      body: (signal) =>
        written(
          writer,
          head,
          pastItems(loadWithAudit(actor, queryWithinRole(past, viewer), signal, format), { bbox, filter }),
        ),
    };
  }
  if (!live) throw new Error('an export is of live positions or of the past');
  const { bbox, layers, centre, trails } = live;
  const answer = await engine.reader.read(pageOf(viewer, formatBbox(bbox)), bbox, layers, centre);
  const covered = answer.covered.map(boxFromCorners);
  const head = { covered, layers, asOf: answer.as_of, window: undefined, filter: parameters };
  const items = [...liveItems(answer, { bbox, filter })];
  const positions = trails && (await kept.readJson({ bbox, centre, layers }));
  function* all() {
    yield* items;
    if (positions) yield* trailItems(positions, items);
  }
  return {
    headers: fileHeaders(writer, format, layers, answer.as_of),
    body: () => written(writer, head, all()),
  };
}

function fileHeaders({ mediaType }: ExportWriter, format: ExportFormat, layers: readonly Layer[], time: string) {
  const name = `lookout-${layers.join('-')}-${time.replaceAll(/[-:]|\.\d+/g, '')}.${format}`;
  return { 'content-type': mediaType, 'content-disposition': `attachment; filename="${name}"` };
}

async function* written(
  writer: ExportWriter,
  head: ExportHead,
  items: Iterable<ExportItem> | AsyncIterable<ExportItem>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(writer.start(head));
  for await (const item of items) {
    const text = writer.item(item);
    if (text !== '') yield Buffer.from(text);
  }
  yield Buffer.from(writer.end());
}
