// The door to incidents: what people do with them, and what they read. It never shows anyone a zone or an alarm that not
// everyone sees.
import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import type { Incident, IncidentAnswer, IncidentEntry, NewIncident, OneIncident } from '#lib/api/watching/incidents.ts';
import type { SightingBody } from '#lib/api/watching/sightings.ts';
import { localInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import type { AuditEvents } from '../audit/audit-events.ts';
import type { Database } from '../database/database.ts';
import type { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import { checkSighting } from './check-sighting.ts';
import { incidentAlarms, incidentDeliveries, requireAlarms } from './incident-alarms.ts';
import { IncidentAnswers, type LoadPast } from './incident-answer.ts';
import { questionOf } from './incident-rows.ts';
import { Incidents } from './incidents.ts';
import { aboutIncident, type ClosingTerms, closeIncident } from './keep.ts';
import { Pieces } from './pieces.ts';
import { type SealedFile, sealedFile, sealIncident } from './seal.ts';
import { signingKey } from './signing-key.ts';

export interface IncidentDeskOptions {
  readonly database: Database;
  readonly now: () => UpstreamInstant;
  readonly everyone: ZoneCaller;
  readonly audit: Pick<AuditEvents, 'read'>;
  readonly watched: Pick<WatchedLedger, 'between'>;
  /** Settings that matter for what a sealed file says; no secret. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** How a past is loaded for one person, and until when. */
export interface Loading {
  readonly load: LoadPast;
  readonly signal: AbortSignal;
}

export class IncidentDesk {
  readonly store: Incidents;
  readonly #options: IncidentDeskOptions;
  readonly #pieces: Pieces;
  readonly #answers: IncidentAnswers;
  /** One person closes or seals an incident at a time. */
  readonly #busy = new Set<string>();

  constructor(options: IncidentDeskOptions) {
    const { database, now, everyone } = options;
    this.#options = options;
    this.store = new Incidents({ database, now, everyone });
    this.#pieces = new Pieces(database, now);
    this.#answers = new IncidentAnswers(now);
  }

  open(caller: ZoneCaller, incident: NewIncident): Promise<Incident> {
    return this.store.open(caller, incident);
  }

  /** @throws ApiError if there is none */
  async read(id: string): Promise<OneIncident> {
    const { database, everyone } = this.#options;
    const row = await this.store.row(id);
    const notes = await this.store.notes(id);
    const { added, tracks } = await this.store.pins(id);
    const alarms =
      row.kept_id === null
        ? await incidentAlarms(
            database,
            everyone,
            questionOf(row),
            added.map(({ alarm }) => alarm),
          )
        : (await this.#kept<Pick<OneIncident, 'alarms'>>(row.kept_id, 'alarms.json')).alarms;
    const deliveries =
      row.kept_id === null
        ? await incidentDeliveries(database, alarms)
        : (await this.#kept<Pick<OneIncident, 'deliveries'>>(row.kept_id, 'deliveries.json')).deliveries;
    return { incident: await this.store.one(id), notes: [...notes], alarms: [...alarms], added, tracks, deliveries };
  }

  /** As of now while it is open, and as it was kept afterwards. @throws ApiError where the past cannot be loaded */
  async answer(id: string, maxRequests: number | undefined, { load, signal }: Loading): Promise<IncidentAnswer> {
    const row = await this.store.row(id);
    if (row.kept_id !== null) return this.#kept(row.kept_id, 'answer.json');
    const key = [id, row.area, row.layers, row.from_ms, row.to_ms, maxRequests].join(' ');
    return this.#answers.answer(key, { question: questionOf(row), maxRequests, load, signal });
  }

  /** @throws ApiError for an alarm that not everyone sees, or a sealed incident */
  async addAlarms(caller: ZoneCaller, id: string, alarms: readonly string[], remark: string): Promise<void> {
    const { database, everyone } = this.#options;
    await requireAlarms(database, everyone, alarms);
    await this.store.pin(caller, id, 'alarm', alarms, remark);
  }

  /** Checks the sighting, and stores it with its check. @throws ApiError as `checkSighting`, or for a sealed incident */
  async addSighting(
    caller: ZoneCaller,
    id: string,
    body: SightingBody,
    { load, signal }: Loading,
  ): Promise<IncidentEntry> {
    const { state } = await this.store.row(id);
    if (state === 'sealed')
      throw new ApiError('not_possible', 'The incident is sealed: nothing of it changes any more.');
    const check = await checkSighting(body, { load, signal, left: signal, now: this.#options.now() });
    return this.store.addSighting(caller, id, body, check);
  }

  close(caller: ZoneCaller, id: string, closing: ClosingTerms): Promise<Incident> {
    return this.#alone(id, () =>
      closeIncident({ ...this.#options, incidents: this.store, pieces: this.#pieces }, caller, id, closing),
    );
  }

  seal(caller: ZoneCaller, id: string, revision: number, signal: AbortSignal): Promise<SealedFile> {
    const { database, now } = this.#options;
    return this.#alone(id, () =>
      sealIncident(
        {
          database,
          now,
          incidents: this.store,
          pieces: this.#pieces,
          software: () => this.#software(),
          auditSince: (incident) => this.#auditSince(incident),
        },
        caller,
        id,
        revision,
        signal,
      ),
    );
  }

  file(id: string) {
    return sealedFile({ incidents: this.store, pieces: this.#pieces }, id);
  }

  /** SPKI, PEM. */
  async publicKey(): Promise<string> {
    return (await signingKey(this.#options.database)).publicPem;
  }

  async #alone<Result>(id: string, run: () => Promise<Result>): Promise<Result> {
    if (this.#busy.has(id)) throw new ApiError('not_possible', 'It is being closed or sealed just now.', 1);
    this.#busy.add(id);
    try {
      return await run();
    } finally {
      this.#busy.delete(id);
    }
  }

  async #kept<Value>(keptId: string, name: string): Promise<Value> {
    return JSON.parse(await this.#pieces.text(keptId, name)) as Value;
  }

  #software(): object {
    return {
      program: 'Lookout',
      version: LOOKOUT_VERSION,
      node: process.versions.node,
      database: this.#options.database.dialect,
      upstream_api: 'Received-Positions Read API, version 1',
      settings: this.#options.settings,
    };
  }

  #auditSince({ id, closed, opened }: Incident): Promise<readonly AuditEntry[]> {
    const since = localInstant(Date.parse((closed ?? opened).at));
    return aboutIncident(this.#options.audit, { since, until: undefined }, new Set(), id);
  }
}
