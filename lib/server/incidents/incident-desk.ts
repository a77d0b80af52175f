// The door to incidents: what people do with them, and what they read. It never shows anyone a zone or an alarm that not
// everyone sees.
import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { Incident, IncidentAnswer, IncidentEntry, NewIncident, OneIncident } from '#lib/api/watching/incidents.ts';
import type { SightingBody, SightingCheck } from '#lib/api/watching/sightings.ts';
import { incidentNumber } from '#lib/incidents/inside.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import type { AuditEvents } from '../audit/audit-events.ts';
import type { Database } from '../database/database.ts';
import type { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import { type CheckOptions, compareSighting, coneOf } from './check-sighting.ts';
import { incidentAlarms, incidentDeliveries, requireAlarms } from './incident-alarms.ts';
import { type IncidentAnswerOptions, IncidentAnswers } from './incident-answer.ts';
import { questionOf, toIncident } from './incident-rows.ts';
import { Incidents } from './incidents.ts';
import { type ClosingTerms, type KeptBounds, keepIncident, type ReceptionOf } from './keep.ts';
import { Pieces } from './pieces.ts';
import { makeSealedFile, type SealedFile, ZIP } from './seal.ts';
import { signingKey } from './signing-key.ts';

export interface IncidentDeskOptions {
  readonly database: Database;
  readonly now: () => UpstreamInstant;
  readonly everyone: ZoneCaller;
  readonly audit: Pick<AuditEvents, 'read'>;
  readonly watched: Pick<WatchedLedger, 'between'>;
  /** Settings that matter for what a sealed file says; no secret. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly bounds?: KeptBounds;
  readonly reception: ReceptionOf;
}

type Checking = Omit<CheckOptions, 'now'>;

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
    const notes = [...(await this.store.notes(id))];
    const pins = await this.store.pins(id);
    const one = { incident: toIncident(row, notes.length), notes, ...pins };
    if (row.kept_id !== null) {
      const { alarms } = await this.#kept<OneIncident>(row.kept_id, 'alarms.json');
      const { deliveries } = await this.#kept<OneIncident>(row.kept_id, 'deliveries.json');
      return { ...one, alarms, deliveries };
    }
    const added = pins.added.map(({ alarm }) => alarm);
    const alarms = [...(await incidentAlarms(database, everyone, questionOf(row), added))];
    return { ...one, alarms, deliveries: await incidentDeliveries(database, alarms) };
  }

  /** As of now while it is open, and as it was kept afterwards. @throws ApiError where the past cannot be loaded */
  async answer(
    id: string,
    maxRequests: number | undefined,
    options: Omit<IncidentAnswerOptions, 'question' | 'maxRequests'>,
  ): Promise<IncidentAnswer> {
    const row = await this.store.row(id);
    if (row.kept_id !== null) return this.#kept(row.kept_id, 'answer.json');
    const key = [id, row.area, row.layers, row.from_ms, row.to_ms, maxRequests].join(' ');
    const question = questionOf(row);
    const answer = await this.#answers.answer(key, { ...options, question, maxRequests });
    return { ...answer, reception: await this.#options.reception(question, options.signal) };
  }

  /** @throws ApiError for an alarm that not everyone sees, or a sealed incident */
  async addAlarms(caller: ZoneCaller, id: string, alarms: readonly string[], remark: string): Promise<void> {
    const { database, everyone } = this.#options;
    await requireAlarms(database, everyone, alarms);
    await this.store.pin(caller, id, 'alarm', alarms, remark);
  }

  /** @throws ApiError for a sighting in the future, or a load that is refused */
  async check(body: SightingBody, past: Checking): Promise<SightingCheck> {
    const check = await compareSighting(body, { ...past, now: this.#options.now() });
    return { ...check, reception: await this.#options.reception({ shape: coneOf(body) }, past.left) };
  }

  /** Checks the sighting, and stores it with its check. @throws ApiError as `check`, or for a sealed incident */
  async addSighting(caller: ZoneCaller, id: string, body: SightingBody, past: Checking): Promise<IncidentEntry> {
    await this.store.rowFor('change', id);
    return this.store.addSighting(caller, id, body, await this.check(body, past));
  }

  close(caller: ZoneCaller, id: string, terms: ClosingTerms): Promise<Incident> {
    return this.#alone(id, () => keepIncident(this.#parts, caller, id, terms));
  }

  seal(caller: ZoneCaller, id: string, revision: number, signal: AbortSignal): Promise<SealedFile> {
    return this.#alone(id, () => makeSealedFile(this.#parts, caller, id, revision, signal));
  }

  /** Deletes all of it but its number, which this returns. @throws ApiError if there is none */
  async remove(id: string): Promise<string> {
    const { kept_id, file_id, year, number } = await this.store.remove(id);
    for (const whole of [kept_id, file_id]) if (whole !== null) await this.#pieces.drop(whole);
    return incidentNumber(year, number);
  }

  /** The bytes of a sealed file. @throws ApiError where it is not sealed */
  async file(id: string) {
    const { file_id, file_bytes, year, number } = await this.store.row(id);
    if (file_id === null) throw new ApiError('not_possible', 'The incident is not sealed yet.');
    return {
      number: incidentNumber(year, number),
      bytes: file_bytes ?? 0,
      body: this.#pieces.read(file_id, ZIP, true),
    };
  }

  /** SPKI, PEM. */
  async publicKey(): Promise<string> {
    return (await signingKey(this.#options.database)).publicPem;
  }

  get #parts() {
    const software = {
      program: 'Lookout',
      version: LOOKOUT_VERSION,
      node: process.versions.node,
      database: this.#options.database.dialect,
      upstream_api: 'Received-Positions Read API, version 1',
      settings: this.#options.settings,
    };
    return { ...this.#options, software, incidents: this.store, pieces: this.#pieces };
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
}
