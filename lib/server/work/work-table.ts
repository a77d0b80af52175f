import 'server-only';
import type { QueueBounds } from './operator-queue.ts';

interface WorkBounds extends QueueBounds {
  /** Pieces at once, of all operators. */
  readonly inAll: number;
  /** Bounds of one request, in words. */
  readonly limit: string;
  readonly routes: readonly string[];
  /** Routes that enter the queue themselves, since they also wait for other things, or have answers that cost little. */
  readonly selfQueued?: readonly string[];
}

const refusal = 'too_much_work';

/** Requests of people that cost more than a look-up. Pages send several at once, and an operator has several pages. */
export const WORK = {
  load: {
    name: 'loads',
    running: 2,
    waiting: 40,
    inAll: Number.POSITIVE_INFINITY,
    refusal: 'too_many_loads',
    limit: '24 hours of 5°, or an hour of 16 tiles; 500 requests for each hour',
    routes: [],
    selfQueued: ['GET /api/history', 'GET /api/export'],
  },
  trial: {
    name: 'trials',
    running: 1,
    waiting: 2,
    inAll: 2,
    refusal,
    limit: '24 hours, 1000 hours of boxes of 5°, 200,000 positions, 50 s',
    routes: ['POST /api/zones/try'],
  },
  sighting: {
    name: 'checks of sightings',
    running: 1,
    waiting: 2,
    inAll: 2,
    refusal,
    limit: '30 minutes and 100 km, 200,000 positions, 50 s',
    routes: ['POST /api/sightings/check', 'POST /api/incidents/ID/sightings'],
  },
  incident_answer: {
    name: 'answers of incidents',
    running: 1,
    waiting: 40,
    inAll: 2,
    refusal,
    limit: '24 hours of 5°, each hour a piece; all viewers of an incident share a reading',
    routes: [],
    selfQueued: ['GET /api/incidents/ID/answer'],
  },
  incident_file: {
    name: 'closings and seals of incidents',
    running: 1,
    waiting: 2,
    inAll: 1,
    refusal,
    limit: '24 hours of 5°, 5,000,000 positions, 200 MB',
    routes: ['POST /api/incidents/ID/close', 'POST /api/incidents/ID/seal'],
  },
  incident: {
    name: 'readings and changes of incidents',
    running: 1,
    waiting: 100,
    inAll: 2,
    refusal,
    limit: '1000 alarms, 2000 notes, 1000 alarms and tracks added by hand',
    routes: [
      'GET /api/incidents',
      'POST /api/incidents',
      'GET /api/incidents/ID',
      'GET /api/incidents/key',
      'PATCH /api/incidents/ID',
      'DELETE /api/incidents/ID',
      'POST /api/incidents/ID/notes',
      'POST /api/incidents/ID/alarms',
      'POST /api/incidents/ID/tracks',
    ],
  },
  // A slow download holds its place: pages of its operator poll incidents meanwhile.
  incident_download: {
    name: 'downloads of incidents',
    running: 2,
    waiting: 4,
    inAll: 2,
    refusal,
    limit: '200 MB, as fast as the client reads',
    routes: ['GET /api/incidents/ID/file'],
  },
  alarm_export: {
    name: 'exports of alarms',
    running: 1,
    waiting: 9,
    inAll: 2,
    refusal,
    limit: '100,000 alarms, read in pages of 500',
    routes: ['GET /api/alarms/export'],
  },
  overview: {
    name: 'overviews',
    running: 1,
    waiting: 40,
    inAll: 1,
    refusal,
    limit: '31 days, 20,000 cells',
    routes: ['GET /api/overview/coverage', 'GET /api/overview/hours', 'GET /api/overview/reception'],
  },
  positions: {
    name: 'answers of positions',
    running: 1,
    waiting: 1000,
    inAll: 2,
    refusal,
    limit: '30°, 200,000 positions of a layer',
    routes: ['GET /api/trails'],
    selfQueued: ['GET /api/live', 'GET /api/export'],
  },
  past_cost: {
    name: 'prices of the past',
    running: 1,
    waiting: 40,
    inAll: 2,
    refusal,
    limit: '24 hours of 5°, and an hour of 16 tiles',
    routes: ['GET /api/history/cost'],
  },
  log: {
    name: 'readings of logs',
    running: 1,
    waiting: 1000,
    inAll: 2,
    refusal,
    limit: '500 alarms, 100 entries, 20,000 stretches; searched in pieces of 2000 rows',
    routes: [
      'GET /api/alarms/presence',
      'GET /api/alarms/ID/deliveries',
      'GET /api/zones/ID/watched',
      'GET /api/zones/unwatched',
      'GET /api/admin/audit',
      'GET /api/admin/destinations/ID/deliveries',
      'GET /api/admin/receivers/hours',
    ],
    selfQueued: ['GET /api/alarms'],
  },
  acknowledgements: {
    name: 'answers to several alarms',
    running: 1,
    waiting: 40,
    inAll: 2,
    refusal,
    limit: '500 alarms',
    routes: ['POST /api/alarms/acknowledge', 'POST /api/alarms/close'],
  },
  zones: {
    name: 'requests for zones',
    running: 1,
    waiting: 100,
    inAll: 2,
    refusal,
    limit: '1000 zones of 500 corners; one zone of 500 corners and its rules; 1000 permits',
    routes: [
      'GET /api/zones',
      'POST /api/zones',
      'PATCH /api/zones/ID',
      'DELETE /api/zones/ID',
      'PUT /api/zones/owner',
      'POST /api/zones/price',
      'GET /api/permits',
      'POST /api/permits',
      'PATCH /api/permits/ID',
      'POST /api/permits/ID/end',
    ],
  },
  zone_import: {
    name: 'imports of zones',
    running: 1,
    waiting: 2,
    inAll: 1,
    refusal,
    limit: '1000 zones of 500 corners, 32 MiB',
    routes: [],
    selfQueued: ['POST /api/zones/import'],
  },
  places: {
    name: 'searches of places',
    running: 1,
    waiting: 40,
    inAll: 2,
    refusal,
    limit: '8 words, 200 candidates',
    routes: ['GET /api/places'],
  },
  accounts: {
    name: 'requests about accounts',
    running: 1,
    waiting: 20,
    inAll: 2,
    refusal,
    limit: 'one hash of a password; the list of people and sessions',
    routes: [
      'GET /api/admin/people',
      'POST /api/admin/people',
      'POST /api/admin/people/ID/password',
      'PUT /api/account/password',
    ],
  },
  read_token: {
    name: 'reads of this token',
    running: 1,
    waiting: 4,
    inAll: 2,
    refusal: 'too_many_reads',
    limit: 'the present positions; 1000 zones; a page of 10,000 scanned alarms',
    routes: [
      'GET /api/features/collections/COLLECTION/items',
      'GET /api/features/collections/COLLECTION/items/ID',
      'GET /api/feeds/TOKEN/FILE',
      'GET /api/feeds/aircraft.json',
    ],
  },
} as const satisfies Record<string, WorkBounds>;

export type WorkKind = keyof typeof WORK;

/** Requests that take no place in a queue, with the reason. */
export const CONSTANT_WORK: Readonly<Record<string, readonly string[]>> = {
  'One row or one file is read or written': [
    'POST /api/account/confirmation/options',
    'POST /api/account/confirmation',
    'DELETE /api/account/passkeys/ID',
    'POST /api/account/passkeys/options',
    'POST /api/account/passkeys',
    'DELETE /api/account/password',
    'POST /api/account/push',
    'PUT /api/account/push',
    'PATCH /api/account/push/ID',
    'DELETE /api/account/push/ID',
    'DELETE /api/account/sessions/ID',
    'DELETE /api/account/sessions',
    'PATCH /api/admin/destinations/ID',
    'DELETE /api/admin/destinations/ID',
    'POST /api/admin/destinations/ID/secret',
    'DELETE /api/admin/destinations/ID/secret',
    'POST /api/admin/destinations',
    'DELETE /api/admin/people/ID/passkeys',
    'PATCH /api/admin/people/ID',
    'DELETE /api/admin/people/ID',
    'DELETE /api/admin/people/ID/sessions',
    'DELETE /api/admin/read-tokens/ID',
    'POST /api/admin/read-tokens',
    'DELETE /api/admin/sessions/ID',
    'POST /api/alarms/ID/acknowledge',
    'POST /api/alarms/ID/close',
    'GET /api/alarms/seen',
    'PUT /api/alarms/seen',
    'POST /api/hand-over',
    'PUT /api/hand-over/read',
    'POST /api/history/seek',
    'GET /api/overlays/ID',
    'DELETE /api/overlays/ID',
    'POST /api/overlays',
    'PATCH /api/views/ID',
    'DELETE /api/views/ID',
    'POST /api/views',
    'PUT /api/views/start',
  ],
  'A list that is bounded in number': [
    'GET /api/account',
    'GET /api/admin/destinations',
    'GET /api/admin/read-tokens',
    'GET /api/admin/receivers',
    'GET /api/destinations',
    'GET /api/hand-over',
    'GET /api/overlays',
    'GET /api/views',
  ],
  'From memory': ['GET /api/status', 'GET /api/session', 'GET /api/admin/street-map', 'DELETE /api/admin/street-map'],
  'One of all admins at once, and bounded in time and bytes': ['POST /api/admin/street-map'],
  'Repeated only after a wait': ['POST /api/admin/allowance', 'POST /api/status', 'POST /api/page-errors'],
  'Queued for its destination': ['POST /api/admin/destinations/ID/trial', 'POST /api/account/push/ID/trial'],
  'A part of a file, as fast as the client reads': ['GET /api/maps', 'HEAD /api/maps'],
  'The same document for each caller': ['GET /api/openapi.json'],
  'One examination in 10 s, for all callers': ['GET /api/admin/doctor'],
  'A document about the features': [
    'GET /api/features',
    'GET /api/features/api',
    'GET /api/features/collections',
    'GET /api/features/collections/COLLECTION',
    'GET /api/features/conformance',
    'GET /api/feeds/receiver.json',
  ],
  'Before sign-in, with limits of its own': [
    'POST /api/session/passkey/options',
    'POST /api/session/passkey',
    'POST /api/session',
    'POST /api/session/wall',
    'DELETE /api/session',
  ],
};

const QUEUED = Object.entries<WorkBounds>(WORK).flatMap(([kind, { routes }]) =>
  routes.map((route) => ({ kind: kind as WorkKind, pattern: patternOf(route) })),
);

/** Capitals stand for any part of a path. Exact routes first. */
function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/(?<=\/)[A-Z]+/g, '[^/]+')}$`);
}

/** `undefined` where the request takes no place, or its route takes one itself. */
export function workOf(method: string, path: string): WorkKind | undefined {
  const request = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  return QUEUED.find(({ pattern }) => pattern.test(request))?.kind;
}
