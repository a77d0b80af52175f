import 'server-only';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { isApiError } from '#lib/api/error-code.ts';
import { failureReasonSchema } from '#lib/api/layer-reason.ts';
import { receptionAnswerSchema } from '#lib/api/layer-state.ts';
import { SUPERVISED_PARTS } from '#lib/api/operation/ready-answer.ts';
import type { Destination } from '#lib/api/outputs/destinations.ts';
import type { Receiver } from '#lib/api/receivers/receivers-answer.ts';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import type { WatchedNow } from '#lib/api/watching/zones.ts';
import { LAYERS } from '#lib/model/position.ts';
import { epochMs, instantOf, type LocalInstant } from '#lib/time/instant.ts';
import type { SteadyClock } from '#lib/time/steady-clock.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { UNWATCHED_REASONS } from '#lib/zones/alarm.ts';
import { counts } from '../allowance/counts.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import { asRefusal } from '../database/database-failure.ts';
import type { WriterLease } from '../database/writer-lease.ts';
import { type StatusReader, shownAges } from '../live/status-reader.ts';
import type { Sessions } from '../sign-in/sessions.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { ReceiversReader } from '../upstream/receivers-reader.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { LastBackup } from './last-backup.ts';

export interface MetricsSources {
  readonly status: Pick<StatusReader, 'read'>;
  readonly client: Pick<UpstreamClient, 'waiting' | 'inFlight'>;
  readonly history: { readonly loads: { readonly running: number; readonly waiting: number } };
  readonly kept: () => Readonly<Record<'past' | 'trails', number>>;
  readonly sessions: { readonly registry: Pick<Sessions, 'list'> } | undefined;
  readonly audit: Pick<AuditLog, 'waiting'>;
  readonly machineClock: Pick<SteadyClock, 'steps' | 'lastStep'>;
  /** `undefined` for a server alone. */
  readonly servers: { readonly database: Pick<Database, 'failure'>; readonly lease: WriterLease } | undefined;
  readonly database: Pick<Database, 'failure'>;
  readonly supervisor: Pick<Supervisor, 'recent' | 'failures' | 'doneSeconds'>;
  /** `null` where no sign-in is needed. */
  readonly operators: () => number | null;
  /** The state of every zone with a rule, within its hours; `undefined`: nothing is known of it yet. */
  readonly watched: () => Promise<readonly (WatchedNow | undefined)[]>;
  /** Rejects with ApiError while the database fails. */
  readonly destinations: () => Promise<readonly Destination[]>;
  readonly lastBackup: () => LastBackup | undefined;
  /** `undefined` without own receivers. */
  readonly receivers: Pick<ReceiversReader, 'read'> | undefined;
  /** The time of the wall clock. */
  readonly wallNow: () => LocalInstant;
}

const RECEIVER_IS: Readonly<Record<string, (receiver: Receiver) => boolean>> = {
  receiving: ({ state }) => state === 'receiving',
  silent: ({ state }) => state === 'silent',
  connecting: ({ state }) => state === 'connecting',
  lost: ({ state }) => state === 'lost',
  deaf: ({ deaf }) => deaf !== null,
  /** Times of arrival are used instead. */
  clock_wrong: ({ clock_is_used }) => clock_is_used === false,
};

type Labels = Readonly<Record<string, string>>;
/** `null` makes no series, instead of 0. */
type Sample = readonly [value: number | null, labels?: Labels];

/**
 * The numbers of this server for Prometheus, read at each scrape. The only names in them are those of destinations. They
 * contain no position, address or key.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #sources: MetricsSources;
  #status: Promise<StatusAnswer> | undefined;
  #listed: Promise<readonly Destination[]> | undefined;

  constructor(sources: MetricsSources) {
    this.#sources = sources;
    collectDefaultMetrics({ register: this.#registry });
    this.#registry.registerMetric(counts().upstreamSeconds);
    this.#process();
    this.#allowance();
    this.#live();
    this.#receivers();
    this.#past();
    this.#people();
    this.#watching();
    this.#destinations();
    this.#parts();
    this.#storage();
  }

  get names(): readonly string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    this.#status = this.#sources.status.read();
    this.#listed = undefined;
    return this.#registry.metrics();
  }

  #process(): void {
    this.#gauge('build_info', 'The running version.', ['version', 'node'], () => [
      [1, { version: LOOKOUT_VERSION, node: process.versions.node }],
    ]);
    this.#gauge(
      'kept_bytes',
      'Memory of caches and stores for all operators, each with a limit, by kind.',
      ['what'],
      () => byName('what', this.#sources.kept()),
    );
    this.#counter(
      'clock_steps_total',
      'How often the clock of the machine was set by 2 s or more, or it was suspended.',
      [],
      () => [[this.#sources.machineClock.steps]],
    );
    this.#gauge(
      'clock_step_seconds',
      'By how much the clock of the machine was set last; negative if back.',
      [],
      () => [
        [this.#sources.machineClock.lastStep === undefined ? null : this.#sources.machineClock.lastStep.ms / SECOND_MS],
      ],
    );
    this.#counter('answers_total', 'Answers of the API, by class of their status.', ['status'], () =>
      byName('status', counts().answers),
    );
    this.#counter('refusals_total', 'Refused requests to the API, by their error code.', ['code'], () =>
      byName('code', counts().refusals),
    );
    this.#counter(
      'page_errors_total',
      'Errors in the own code of pages, by what failed and whether the log has them.',
      ['kind', 'outcome'],
      () => Object.entries(counts().pageErrors).flatMap(([kind, outcomes]) => byName('outcome', outcomes, { kind })),
    );
  }

  #allowance(): void {
    const windows = async () => {
      const { minute, day } = await this.#read();
      return [
        ['minute', minute],
        ['day', day],
      ] as const;
    };
    const window = ['window'] as const;
    this.#gauge(
      'allowance_remaining',
      'Requests that the upstream still grants; none where it is not known.',
      window,
      async () => (await windows()).map(([name, { remaining }]) => [remaining, { window: name }]),
    );
    this.#gauge(
      'allowance_size',
      'Requests that the upstream grants in a whole window, as far as it is known.',
      window,
      async () => (await windows()).map(([name, { size }]) => [size, { window: name }]),
    );
    this.#gauge('allowance_reserved', 'Requests that are reserved and not sent yet.', window, async () =>
      (await windows()).map(([name, { reserved }]) => [reserved, { window: name }]),
    );
    this.#gauge('pace_per_minute', 'Requests a minute at which the day lasts until midnight UTC.', [], async () => [
      [(await this.#read()).pace_per_minute],
    ]);
    this.#counter(
      'spent_total',
      'Requests that counted against the allowance, by what for and for whom.',
      ['purpose', 'role'],
      () => Object.entries(counts().spent).flatMap(([purpose, byRole]) => byName('role', byRole, { purpose })),
    );
    this.#gauge('key_refused', '1 while the upstream refuses the key, or it cannot be read.', [], async () => [
      [(await this.#read()).key_refused ? 1 : 0],
    ]);
    this.#gauge('paused', '1 while the upstream wants no request at all.', [], async () => [
      [(await this.#read()).paused_until === null ? 0 : 1],
    ]);
    this.#gauge('upstream_waiting', 'Requests that wait for a connection to the upstream.', ['mode'], () => {
      const { live, history } = this.#sources.client.waiting;
      return [
        [live, { mode: 'live' }],
        [history, { mode: 'history' }],
      ];
    });
    this.#gauge('upstream_in_flight', 'Requests that the upstream is answering.', [], () => [
      [this.#sources.client.inFlight],
    ]);
  }

  #live(): void {
    this.#gauge('viewers', 'Open pages with a map.', [], async () => [[(await this.#read()).viewers]]);
    this.#gauge(
      'planned_areas',
      'Areas that are refreshed, by layer and whether they were read yet.',
      ['layer', 'read'],
      async () => {
        const { areas } = await this.#read();
        return LAYERS.flatMap((layer) =>
          [true, false].map((read): Sample => {
            const found = areas.filter((area) => area.layer === layer && (area.fetched_at !== null) === read);
            return [found.length, { layer, read: read ? 'yes' : 'no' }];
          }),
        );
      },
    );
    this.#gauge(
      'shown_age_seconds',
      'Age of what viewers are shown: of the middle viewer, and of the one worst off.',
      ['layer', 'of'],
      async () => {
        const { areas, as_of } = await this.#read();
        return LAYERS.flatMap((layer) =>
          shownAges(
            areas.filter((area) => area.layer === layer),
            as_of,
          ).map(([age, of]): Sample => [age, { layer, of }]),
        );
      },
    );
    this.#gauge(
      'layer_failing',
      '1 while requests of a layer are known to fail for this reason.',
      ['layer', 'reason'],
      async () => {
        const { layers } = await this.#read();
        return LAYERS.flatMap((layer) => {
          // rate() and alerts miss the first sample of a new series.
          const { reason: present } = layers[layer];
          return failureReasonSchema.options.map((reason): Sample => [Number(reason === present), { layer, reason }]);
        });
      },
    );
    this.#gauge(
      'layer_reception',
      '1 for the present reception of a layer; none while it is not known.',
      ['layer', 'state'],
      async () => {
        const { layers } = await this.#read();
        return LAYERS.flatMap((layer) => {
          const { reception } = layers[layer];
          const { options } = receptionAnswerSchema.shape.state;
          return options.map((state): Sample => [reception && Number(reception.state === state), { layer, state }]);
        });
      },
    );
    this.#gauge(
      'layer_receivers',
      'Receivers that could deliver a layer, by whether they do; none while it is not known.',
      ['layer', 'receiving'],
      async () => {
        const { layers } = await this.#read();
        return LAYERS.flatMap((layer): readonly Sample[] => {
          const { reception } = layers[layer];
          const { receivers, receiving } = reception ?? { receivers: 0, receiving: 0 };
          return [
            [reception && receiving, { layer, receiving: 'yes' }],
            [reception && Math.max(0, receivers - receiving), { layer, receiving: 'no' }],
          ];
        });
      },
    );
    this.#counter('refreshes_total', 'Refreshes of areas, by how they ended.', ['result'], () =>
      byName('result', counts().refreshes),
    );
    this.#counter('live_reads_total', 'Live pictures that were answered, however many shared a refresh.', [], () => [
      [counts().liveReads],
    ]);
  }

  #receivers(): void {
    this.#gauge(
      'receivers',
      'Own receivers that are so: one may be deaf and receiving. None while their service does not answer.',
      ['is'],
      async () => {
        const answer = await this.#sources.receivers?.read();
        const feeds = answer?.failure === null ? answer.status?.feeds : undefined;
        return Object.entries(RECEIVER_IS).map(([is, matches]) => [
          feeds ? feeds.filter(matches).length : null,
          { is },
        ]);
      },
    );
  }

  #past(): void {
    this.#gauge('loads', 'Loads of the past, running or queued behind others of their operator.', ['state'], () =>
      byName('state', this.#sources.history.loads),
    );
    this.#counter('loads_total', 'Loads of the past that ended, by how.', ['outcome'], () =>
      byName('outcome', counts().loads),
    );
    this.#counter('history_parts_total', 'Parts of the past, by where they came from.', ['source'], () =>
      byName('source', counts().parts),
    );
  }

  #people(): void {
    const { sessions, audit } = this.#sources;
    this.#gauge('sessions', 'Sessions that are signed in; none where no sign-in is needed.', [], async () => [
      [sessions ? ((await unlessRefused(sessions.registry.list()))?.length ?? null) : null],
    ]);
    this.#counter('sign_ins_total', 'Attempts to sign in, by how and by result.', ['method', 'result'], () =>
      Object.entries(counts().signIns).flatMap(([method, byResult]) => byName('result', byResult, { method })),
    );
    this.#gauge(
      'audit_waiting',
      'Events that are not on disk yet, because the audit log cannot be written.',
      [],
      () => [[audit.waiting]],
    );
  }

  #watching(): void {
    const watched = async () => (await unlessRefused(this.#sources.watched())) ?? [];
    this.#gauge('zones', 'Zones with a rule, within their hours, by whether they are watched.', ['state'], async () => {
      const zones = await watched();
      return ['watched', 'partly', 'not_watched', 'unknown'].map((state): Sample => {
        return [zones.filter((zone) => (zone?.state ?? 'unknown') === state).length, { state }];
      });
    });
    this.#gauge(
      'zones_not_watched',
      'Zones that are not watched at all, by the reason; unknown: nothing is noted of them yet.',
      ['reason'],
      async () => {
        const zones = (await watched()).filter((zone) => !zone || zone.state === 'not_watched');
        return [...UNWATCHED_REASONS, 'unknown'].map((reason): Sample => {
          return [zones.filter((zone) => (zone?.reason ?? 'unknown') === reason).length, { reason }];
        });
      },
    );
  }

  #destinations(): void {
    const label = ['destination', 'kind'] as const;
    const of = async (sample: (destination: Destination) => number | null): Promise<readonly Sample[]> => {
      const all = (await unlessRefused(this.#readDestinations())) ?? [];
      return all.map((each): Sample => [sample(each), { destination: each.name, kind: each.config.kind }]);
    };
    this.#gauge('notices_waiting', 'Notices that were not sent yet, by destination.', label, () =>
      of(({ waiting }) => waiting),
    );
    this.#gauge('notices_waiting_seconds', 'For how long the first of them is due; none if none is.', label, () =>
      of(({ waiting_since }) => {
        if (waiting_since === null) return null;
        const seconds = (epochMs(this.#sources.wallNow()) - epochMs(instantOf(waiting_since))) / SECOND_MS;
        return Math.max(0, seconds);
      }),
    );
    this.#gauge(
      'notices_given_up',
      'Notices that were given up, by destination, for as long as their alarms are kept.',
      label,
      () => of(({ given_up }) => given_up),
    );
    this.#gauge(
      'destination_failing',
      '1 while notices do not arrive at a destination, or Lookout has switched it off.',
      label,
      () => of(({ is_on, problem, switched_off }) => Number(switched_off !== null || (is_on && problem !== null))),
    );
    this.#gauge('heartbeats', 'Heartbeat destinations that are on.', [], async () => {
      const all = await unlessRefused(this.#readDestinations());
      return [[all ? all.filter(({ is_on, config }) => is_on && config.kind === 'heartbeat').length : null]];
    });
  }

  #parts(): void {
    const { supervisor } = this.#sources;
    this.#gauge(
      'part_failing',
      '1 while a part of this server fails, and until 30 s after its last failure.',
      ['part'],
      () => {
        const failing = new Set(supervisor.recent.map(({ part }) => part));
        return SUPERVISED_PARTS.map((part): Sample => [Number(failing.has(part)), { part }]);
      },
    );
    this.#counter('part_failures_total', 'Unexpected errors of work without a request, by part.', ['part'], () =>
      SUPERVISED_PARTS.map((part): Sample => [supervisor.failures.get(part) ?? 0, { part }]),
    );
    this.#gauge(
      'part_done_seconds',
      'Time since the delivery or the watch of zones last passed; none on a server that is not the writer.',
      ['part'],
      () =>
        (['delivery', 'watch'] as const).map((part): Sample => [supervisor.doneSeconds.get(part) ?? null, { part }]),
    );
  }

  #storage(): void {
    const { servers, database, operators, lastBackup, wallNow } = this.#sources;
    this.#gauge(
      'database_usable',
      '1 while the PostgreSQL that the servers share can be used; none for a server alone.',
      [],
      () => [[servers ? Number(servers.database.failure === undefined) : null]],
    );
    this.#gauge('writer', '1 on the server that is the writer; none for a server alone.', [], () => [
      [servers ? Number(servers.lease.fence !== undefined) : null],
    ]);
    this.#gauge(
      'schema_other',
      '1 while the tables are of another version: a newer server has migrated them.',
      [],
      () => {
        const kind: string | undefined = database.failure?.kind;
        return [[Number(kind === 'other-schema')]];
      },
    );
    this.#gauge('operators', 'Operators that can sign in; none where no sign-in is needed.', [], () => [[operators()]]);
    this.#gauge(
      'backup_seconds',
      'Age of the last backup, and of the last one that was verified; none if there is none.',
      ['of'],
      () => {
        const last = lastBackup();
        const age = (at: string | null | undefined) =>
          at ? Math.max(0, epochMs(wallNow()) - Date.parse(at)) / SECOND_MS : null;
        return [
          [age(last?.made), { of: 'made' }],
          [age(last?.verified), { of: 'verified' }],
        ];
      },
    );
  }

  /** One scrape reads the destinations once. */
  #readDestinations(): Promise<readonly Destination[]> {
    this.#listed ??= this.#sources.destinations();
    return this.#listed;
  }

  #read(): Promise<StatusAnswer> {
    this.#status ??= this.#sources.status.read();
    return this.#status;
  }

  #gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    sample: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void {
    new Gauge({
      name: `lookout_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      async collect() {
        const samples = await sample();
        this.reset();
        for (const [value, labels = {}] of samples) {
          if (value === null) this.remove(labels);
          else this.set(labels, value);
        }
      },
    });
  }

  #counter(name: string, help: string, labelNames: readonly string[], sample: () => readonly Sample[]): void {
    new Counter({
      name: `lookout_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [value, labels = {}] of sample()) this.inc(labels, value ?? 0);
      },
    });
  }
}

async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isApiError(asRefusal(error))) return undefined;
    throw error;
  }
}

function byName(label: string, values: Readonly<Record<string, number>>, labels: Labels = {}): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => [value, { ...labels, [label]: name }]);
}
