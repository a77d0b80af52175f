import '../request/page-port.ts';
import { COMPACT_TRAILS_TYPE } from '#lib/api/trails-answer.ts';
import { columnBuffers } from '#lib/codec/record-columns.ts';
import { arrived, fetchLookout } from '../request/fetch-lookout.ts';
import { servePage } from '../request/page-port.ts';
import { readTrails } from './read-trails.ts';
import type { TrailsFetch, TrailsReply } from './trails-protocol.ts';

/** Off the main thread: decoding a hundred thousand positions takes several frames. */
servePage<TrailsFetch, TrailsReply>(async ({ address }, { id, signal, reply }) => {
  const response = await fetchLookout(address, { signal, headers: { accept: COMPACT_TRAILS_TYPE } });
  const trails = await readTrails(await arrived(response.arrayBuffer()));
  reply({ kind: 'trails', id, trails }, Object.values(trails.layers).flatMap(columnBuffers));
});
