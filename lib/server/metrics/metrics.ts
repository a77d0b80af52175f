import 'server-only';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { isApiError } from '#lib/api/error-code.ts';
import { failureReasonSchema } from '#lib/api/layer-reason.ts';
import { receptionAnswerSchema } from '#lib/api/reception-answer.ts';
import type { PlannedArea, StatusAnswer } from '#lib/api/status-answer.ts';
import { LAYERS } from '#lib/model/position.ts';
import { instantOf, msBetween } from '#lib/time/instant.ts';
import type { SteadyClock } from '#lib/time/steady-clock.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { counts } from '../allowance/counts.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import type { StatusReader } from '../live/status-reader.ts';
import type { Sessions } from '../sign-in/sessions.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';

export interface MetricsSources {
  readonly status: Pick<StatusReader, 'read'>;
  readonly client: Pick<UpstreamClient, 'waiting' | 'inFlight'>;
  readonly history: { readonly loads: { readonly running: number; readonly waiting: number } };
  readonly kept: () => Readonly<Record<'past' | 'trails', number>>;
  readonly sessions: { readonly registry: Pick<Sessions, 'list'> } | undefined;
  readonly audit: Pick<AuditLog, 'waiting'>;
  readonly machineClock: Pick<SteadyClock, 'steps' | 'lastStep'>;
  /** `undefined` for a server alone. */
  readonly database: Pick<Database, 'failure'> | undefined;
}

type Labels = Readonly<Record<string, string>>;
/** `null` makes no series, instead of 0. */
type Sample = readonly [value: number | null, labels?: Labels];

/** They contain no name, position, address or key. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #sources: MetricsSources;
  #status: Promise<StatusAnswer> | undefined;

  constructor(sources: MetricsSources) {
    this.#sources = sources;
    collectDefaultMetrics({ register: this.#registry });
    this.#registry.registerMetric(counts().upstreamSeconds);
    this.#process();
    this.#allowance();
    this.#live();
    this.#past();
    this.#people();
    this.#sharedDatabase();
  }

  get names(): readonly string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    this.#status = this.#sources.status.read();
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
      [sessions ? await countOf(sessions.registry) : null],
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

  #sharedDatabase(): void {
    const { database } = this.#sources;
    this.#gauge(
      'database_usable',
      '1 while the PostgreSQL that the servers share can be used; none for a server alone.',
      [],
      () => [[database ? Number(database.failure === undefined) : null]],
    );
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

async function countOf(registry: Pick<Sessions, 'list'>): Promise<number | null> {
  try {
    return (await registry.list()).length;
  } catch (error) {
    if (isApiError(error)) return null;
    throw error;
  }
}

function byName(label: string, values: Readonly<Record<string, number>>, labels: Labels = {}): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => [value, { ...labels, [label]: name }]);
}

/** Seconds, each area as often as it has viewers. */
function shownAges(areas: readonly PlannedArea[], asOf: string): readonly (readonly [number, string])[] {
  const ages = areas
    .flatMap(({ fetched_at, viewers }) => {
      const age = fetched_at === null ? [] : [msBetween(instantOf(fetched_at), instantOf(asOf)) / SECOND_MS];
      return age.map((seconds) => ({ seconds, viewers }));
    })
    .toSorted((a, b) => a.seconds - b.seconds);
  const worst = ages.at(-1);
  if (!worst) return [];
  const half = ages.reduce((sum, { viewers }) => sum + viewers, 0) / 2;
  let seen = 0;
  const middle = ages.find(({ viewers }) => {
    seen += viewers;
    return seen >= half;
  });
  return [
    [middle?.seconds ?? worst.seconds, 'middle'],
    [worst.seconds, 'worst'],
  ];
}
