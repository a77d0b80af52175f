// The purpose and the answers of each route. A route without a row fails scripts/docs/openapi.test.ts; the rest of the documents
// comes from the route itself.
import type * as z from 'zod/mini';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { historyCostSchema } from '#lib/api/history-cost.ts';
import { COMPACT_HISTORY_TYPE, HISTORY_LINES_TYPE, historyLineSchema } from '#lib/api/history-line.ts';
import { doctorAnswerSchema } from '#lib/api/operation/doctor-answer.ts';
import { readyAnswerSchema } from '#lib/api/operation/ready-answer.ts';
import {
  changedDestinationSchema,
  deliveriesSchema,
  destinationNamesSchema,
  destinationsSchema,
  trialSchema,
} from '#lib/api/outputs/destinations.ts';
import {
  aircraftAnswerSchema,
  collectionSchema,
  collectionsSchema,
  conformanceSchema,
  featureSchema,
  featuresPageSchema,
  feedFileSchema,
  geoJsonFileSchema,
  importedZonesSchema,
  landingPageSchema,
  liveAnswerSchema,
  openApiSchema,
  receiverAnswerSchema,
  runningSchema,
  sealedSchema,
} from '#lib/api/outputs/output-answers.ts';
import { madeReadTokenSchema, readTokensSchema } from '#lib/api/outputs/read-token.ts';
import { overlayContentSchema, overlaySchema, overlaysSchema } from '#lib/api/overlay.ts';
import { coverageSchema, overviewHoursSchema, receptionSchema } from '#lib/api/overview.ts';
import { accountAnswerSchema, endedSchema, initialPasswordSchema, peopleSchema } from '#lib/api/people/account.ts';
import { auditAnswerSchema } from '#lib/api/people/audit-event.ts';
import { assertionOptionsSchema, attestationOptionsSchema } from '#lib/api/people/passkey.ts';
import { pushIdSchema } from '#lib/api/people/push.ts';
import { sessionAnswerSchema } from '#lib/api/people/session-messages.ts';
import { placesAnswerSchema } from '#lib/api/places-answer.ts';
import { exportedViewSchema, historyQuerySchema } from '#lib/api/query.ts';
import { hoursAnswerSchema } from '#lib/api/receivers/receiver-hours.ts';
import { receiversAnswerSchema } from '#lib/api/receivers/receivers-answer.ts';
import { savedViewSchema, savedViewsSchema } from '#lib/api/saved-view.ts';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { streetMapSizeSchema, streetMapStateSchema } from '#lib/api/street-map.ts';
import { COMPACT_TRAILS_TYPE, trailsAnswerSchema } from '#lib/api/trails-answer.ts';
import { alarmSchema, alarmsSchema, answeredSchema, presenceSchema, seenSchema } from '#lib/api/watching/alarms.ts';
import { handOverAddedSchema, handOverNotesSchema } from '#lib/api/watching/hand-over.ts';
import {
  addedNoteSchema,
  changedIncidentSchema,
  incidentAnswerSchema,
  incidentKeySchema,
  incidentsSchema,
  oneIncidentSchema,
} from '#lib/api/watching/incidents.ts';
import { permitSchema, permitsSchema, permittedSchema } from '#lib/api/watching/permits.ts';
import { sightingCheckSchema } from '#lib/api/watching/sightings.ts';
import { zoneTrialSchema } from '#lib/api/watching/zone-trial.ts';
import {
  pricedZoneSchema,
  unwatchedSchema,
  watchedSchema,
  zonePriceSchema,
  zonesSchema,
} from '#lib/api/watching/zones.ts';
import { parseFilter } from '#lib/filter/filter-parameters.ts';
import { GEOJSON_TYPE, OPENAPI_TYPE } from '#lib/outputs/feature-documents.ts';
import { isSchema } from './api-schemas.ts';
import type { OtherParameters, Parameter } from './schema-parts.ts';

/** By media type; null: no JSON of Lookout's. A schema of JSON lines is that of a line. */
export type Contents = Readonly<Record<string, z.core.$ZodType | null>>;
/** A schema: JSON. null: no content. */
type Answer = z.core.$ZodType | Contents | null;

export interface RouteAnswers {
  /** In a few words, such as “Lists the zones that the caller sees”. */
  readonly does: string;
  readonly [status: number]: Answer;
  /** The media type of a form for Lookout's own pages. */
  readonly compact?: string;
  /** Where the schema of the query leaves parameters open. */
  readonly otherwise?: OtherParameters;
}

const JSON_TYPE = 'application/json';
const CSV = { 'text/csv': null };
const KML = { 'application/vnd.google-earth.kml+xml': null };
const GEOJSON = { [GEOJSON_TYPE]: geoJsonFileSchema };
const PMTILES = { 'application/vnd.pmtiles': null };
const TEXT = { 'text/plain': null };
const NONE = null;

const filters = parseFilter(() => ['']).problems.map(
  ({ name, expected }): Parameter => ({
    name,
    in: 'query',
    required: false,
    description: `Filter: ${expected}`,
    schema: { type: 'string' },
  }),
);

/** By route, as in docs/api.md: capitals stand for an id. */
export const ROUTE_ANSWERS: Readonly<Record<string, RouteAnswers>> = {
  'GET /api/openapi.json': { does: 'Returns this document', 200: openApiSchema },

  'POST /api/session': { does: 'Begins a session with a name and a password: the answer sets its cookie', 204: NONE },
  'DELETE /api/session': { does: 'Ends the session of this cookie', 204: NONE },
  'GET /api/session': { does: 'Says who is signed in', 200: sessionAnswerSchema },
  'POST /api/session/passkey/options': { does: 'Begins a sign-in with a passkey', 200: assertionOptionsSchema },
  'POST /api/session/passkey': { does: 'Begins a session with a passkey', 204: NONE },
  'POST /api/session/wall': { does: 'Makes the browser a wall, once for each token', 204: NONE },

  'GET /api/live': {
    does: 'Returns the current positions of a view',
    200: liveAnswerSchema,
    compact: COMPACT_LIVE_TYPE,
  },
  'GET /api/trails': {
    does: 'Returns the positions of the last 15 minutes in a box',
    200: trailsAnswerSchema,
    compact: COMPACT_TRAILS_TYPE,
  },
  'GET /api/places': { does: 'Finds places and airports', 200: placesAnswerSchema },
  'GET /api/maps': { does: 'Returns bytes of a configured map', 200: PMTILES, 206: PMTILES, 416: NONE },
  'HEAD /api/maps': { does: 'Returns the version of a configured map', 200: NONE, 206: NONE, 416: NONE },

  'GET /api/status': { does: 'Returns the allowance, the layers and the planned areas', 200: statusAnswerSchema },
  'POST /api/status': { does: 'Retries a denied layer now', 204: NONE },
  'POST /api/admin/allowance': { does: 'Lets the next request check a used-up day or a refused key', 204: NONE },
  'GET /api/admin/street-map': { does: 'Says how far the street map is', 200: streetMapStateSchema },
  'POST /api/admin/street-map': {
    does: 'Measures a street map, or fetches it',
    200: streetMapSizeSchema,
    202: streetMapSizeSchema,
  },
  'DELETE /api/admin/street-map': { does: 'Cancels the street map that is being fetched', 204: NONE },

  'GET /api/history': {
    does: 'Loads the past of a box as a stream',
    200: { [HISTORY_LINES_TYPE]: historyLineSchema },
    compact: COMPACT_HISTORY_TYPE,
  },
  'POST /api/history/seek': { does: 'Moves a load to another time', 200: runningSchema },
  'GET /api/history/cost': { does: 'Estimates the requests of a load', 200: historyCostSchema },
  'GET /api/export': {
    does: 'Exports live or past positions as a file',
    200: { ...CSV, ...GEOJSON, ...KML },
    otherwise: { either: [exportedViewSchema, historyQuerySchema], more: filters },
  },

  'GET /api/views': { does: 'Lists saved views', 200: savedViewsSchema },
  'POST /api/views': { does: 'Saves a view', 201: savedViewSchema },
  'PATCH /api/views/ID': { does: 'Changes a saved view', 200: savedViewSchema },
  'DELETE /api/views/ID': { does: 'Deletes a saved view', 204: NONE },
  'PUT /api/views/start': { does: 'Chooses the view that the page opens with', 204: NONE },
  'GET /api/overlays': { does: 'Lists overlays', 200: overlaysSchema },
  'POST /api/overlays': { does: 'Adds an overlay', 201: overlaySchema },
  'GET /api/overlays/ID': { does: 'Returns the content of an overlay', 200: overlayContentSchema },
  'DELETE /api/overlays/ID': { does: 'Deletes an overlay', 204: NONE },

  'GET /api/zones': { does: 'Lists the zones that the caller sees', 200: zonesSchema, 304: NONE },
  'POST /api/zones': { does: 'Adds a zone', 201: pricedZoneSchema },
  'PATCH /api/zones/ID': { does: 'Changes a zone', 200: pricedZoneSchema },
  'DELETE /api/zones/ID': { does: 'Removes a zone', 204: NONE },
  'POST /api/zones/import': { does: 'Adds several zones, all or none', 201: importedZonesSchema },
  'PUT /api/zones/owner': { does: 'Hands zones over to another person', 204: NONE },
  'POST /api/zones/price': { does: 'Estimates the requests of an unsaved zone', 200: zonePriceSchema },
  'POST /api/zones/try': { does: 'Evaluates an unsaved zone on the past', 200: zoneTrialSchema },
  'GET /api/zones/ID/watched': { does: 'Says when a zone was watched', 200: watchedSchema },
  'GET /api/zones/unwatched': { does: 'Lists what was not watched', 200: unwatchedSchema },

  'GET /api/permits': { does: 'Lists permits', 200: permitsSchema },
  'POST /api/permits': { does: 'Makes permits, and notes them at alarms', 201: permittedSchema },
  'PATCH /api/permits/ID': { does: 'Changes a permit', 200: permitSchema },
  'POST /api/permits/ID/end': { does: 'Ends or withdraws a permit', 200: permitSchema },

  'GET /api/alarms': { does: 'Lists alarms, or waits for changes', 200: alarmsSchema },
  'GET /api/alarms/export': { does: 'Exports alarms as a file', 200: { ...CSV, ...GEOJSON } },
  'POST /api/alarms/ID/acknowledge': { does: 'Acknowledges an alarm', 200: alarmSchema },
  'POST /api/alarms/acknowledge': { does: 'Acknowledges several alarms', 200: answeredSchema },
  'POST /api/alarms/ID/close': { does: 'Closes an alarm', 200: alarmSchema },
  'POST /api/alarms/close': { does: 'Closes several alarms', 200: answeredSchema },
  'GET /api/alarms/seen': { does: 'Says up to when the operator has seen alarms', 200: seenSchema },
  'PUT /api/alarms/seen': { does: 'Stores up to when the operator has seen alarms', 204: NONE },
  'GET /api/alarms/ID/deliveries': { does: 'Lists the notices of an alarm', 200: deliveriesSchema },
  'GET /api/alarms/presence': { does: 'Says when operators had a page open that received alarms', 200: presenceSchema },
  'GET /api/hand-over': { does: 'Lists the notes for the next shift', 200: handOverNotesSchema },
  'POST /api/hand-over': { does: 'Adds a note for the next shift', 201: handOverAddedSchema },
  'PUT /api/hand-over/read': { does: 'Marks a note as read', 204: NONE },

  'GET /api/incidents': { does: 'Lists incidents', 200: incidentsSchema },
  'POST /api/incidents': { does: 'Opens an incident', 201: changedIncidentSchema },
  'GET /api/incidents/ID': { does: 'Returns an incident with everything that belongs to it', 200: oneIncidentSchema },
  'PATCH /api/incidents/ID': { does: 'Changes an incident', 200: changedIncidentSchema },
  'DELETE /api/incidents/ID': { does: 'Deletes an incident', 204: NONE },
  'POST /api/incidents/ID/notes': { does: 'Adds a note to an incident', 201: addedNoteSchema },
  'POST /api/incidents/ID/alarms': { does: 'Adds alarms to an incident', 204: NONE },
  'POST /api/incidents/ID/tracks': { does: 'Adds tracks to an incident', 204: NONE },
  'POST /api/incidents/ID/sightings': { does: 'Checks a sighting, and adds it to an incident', 201: addedNoteSchema },
  'GET /api/incidents/ID/answer': { does: 'Says what was received in an incident', 200: incidentAnswerSchema },
  'POST /api/incidents/ID/close': { does: 'Closes an incident, and stores its past', 200: changedIncidentSchema },
  'POST /api/incidents/ID/seal': { does: 'Seals an incident as a signed file', 201: sealedSchema },
  'GET /api/incidents/ID/file': { does: 'Returns the file of a sealed incident', 200: { 'application/zip': null } },
  'GET /api/incidents/key': { does: 'Returns the key that verifies sealed incidents', 200: incidentKeySchema },
  'POST /api/sightings/check': { does: 'Compares a sighting with what was received', 200: sightingCheckSchema },

  'GET /api/overview/coverage': {
    does: 'Says where was watched and received',
    200: { [JSON_TYPE]: coverageSchema, ...CSV },
  },
  'GET /api/overview/hours': {
    does: 'Counts what was received by hour',
    200: { [JSON_TYPE]: overviewHoursSchema, ...CSV },
  },
  'GET /api/overview/reception': { does: 'Returns the measured reception of an area', 200: receptionSchema },

  'GET /api/destinations': { does: 'Lists the destinations that rules can name', 200: destinationNamesSchema },
  'GET /api/admin/destinations': { does: 'Lists destinations', 200: destinationsSchema },
  'POST /api/admin/destinations': { does: 'Adds a destination', 201: changedDestinationSchema },
  'PATCH /api/admin/destinations/ID': { does: 'Changes a destination', 200: changedDestinationSchema },
  'DELETE /api/admin/destinations/ID': { does: 'Removes a destination', 204: NONE },
  'POST /api/admin/destinations/ID/secret': { does: 'Makes a new secret', 201: changedDestinationSchema },
  'DELETE /api/admin/destinations/ID/secret': { does: 'Drops the older secrets', 200: changedDestinationSchema },
  'POST /api/admin/destinations/ID/trial': { does: 'Sends a trial notice', 202: trialSchema },
  'GET /api/admin/destinations/ID/deliveries': { does: 'Lists the notices of a destination', 200: deliveriesSchema },

  'GET /api/account': { does: 'Returns the account of the caller', 200: accountAnswerSchema },
  'PUT /api/account/password': { does: 'Changes the password', 200: endedSchema },
  'DELETE /api/account/password': { does: 'Removes the password', 200: endedSchema },
  'DELETE /api/account/sessions': { does: 'Ends all other sessions', 200: endedSchema },
  'DELETE /api/account/sessions/ID': { does: 'Ends a session', 204: NONE },
  'POST /api/account/confirmation/options': { does: 'Begins a confirmation by passkey', 200: assertionOptionsSchema },
  'POST /api/account/confirmation': { does: 'Confirms the session for five minutes', 204: NONE },
  'POST /api/account/passkeys/options': { does: 'Begins a new passkey', 200: attestationOptionsSchema },
  'POST /api/account/passkeys': { does: 'Adds a passkey', 204: NONE },
  'POST /api/account/push': { does: 'Subscribes this browser to notices', 201: pushIdSchema },
  'PUT /api/account/push': { does: 'Finds the subscription of this browser', 200: pushIdSchema },
  'PATCH /api/account/push/ID': { does: 'Changes what a browser receives', 204: NONE },
  'DELETE /api/account/push/ID': { does: 'Ends a subscription', 204: NONE },
  'POST /api/account/push/ID/trial': { does: 'Sends a trial notice to a browser', 202: trialSchema },
  'DELETE /api/account/passkeys/ID': { does: 'Removes a passkey', 200: endedSchema },

  'GET /api/admin/people': { does: 'Lists operators and their sessions', 200: peopleSchema },
  'POST /api/admin/people': { does: 'Adds an operator', 201: initialPasswordSchema },
  'PATCH /api/admin/people/ID': { does: 'Changes the role of an operator', 204: NONE },
  'DELETE /api/admin/people/ID': { does: 'Removes an operator', 204: NONE },
  'POST /api/admin/people/ID/password': { does: 'Resets the password of an operator', 200: initialPasswordSchema },
  'DELETE /api/admin/people/ID/sessions': { does: 'Ends the sessions of an operator', 200: endedSchema },
  'DELETE /api/admin/people/ID/passkeys': { does: 'Removes the passkeys of an operator', 200: endedSchema },
  'DELETE /api/admin/sessions/ID': { does: 'Ends a session of any operator', 204: NONE },
  'GET /api/admin/audit': { does: 'Lists audited events', 200: auditAnswerSchema },
  'GET /api/admin/doctor': { does: 'Examines the installation', 200: doctorAnswerSchema },
  'GET /api/admin/receivers': { does: 'Returns the state of own receivers', 200: receiversAnswerSchema },
  'GET /api/admin/receivers/hours': { does: 'Returns hours of own receivers', 200: hoursAnswerSchema },
  'GET /api/admin/read-tokens': { does: 'Lists tokens', 200: readTokensSchema },
  'POST /api/admin/read-tokens': { does: 'Makes a token', 201: madeReadTokenSchema },
  'DELETE /api/admin/read-tokens/ID': { does: 'Revokes a token', 204: NONE },
  'POST /api/page-errors': { does: 'Reports an error of a page', 204: NONE },

  'GET /api/feeds/aircraft.json': {
    does: 'Returns the current positions for readsb programs',
    200: aircraftAnswerSchema,
  },
  'GET /api/feeds/receiver.json': {
    does: 'Returns the rate of updates for readsb programs',
    200: receiverAnswerSchema,
  },
  'GET /api/feeds/TOKEN/FILE': {
    does: 'Returns aircraft.json or receiver.json, also below data/',
    200: feedFileSchema,
  },
  'GET /api/features': { does: 'Returns the landing page of OGC API Features', 200: landingPageSchema },
  'GET /api/features/api': { does: 'Describes the features', 200: { [OPENAPI_TYPE]: openApiSchema } },
  'GET /api/features/conformance': { does: 'Lists the conformance classes', 200: conformanceSchema },
  'GET /api/features/collections': { does: 'Lists the collections', 200: collectionsSchema },
  'GET /api/features/collections/COLLECTION': { does: 'Describes a collection', 200: collectionSchema },
  'GET /api/features/collections/COLLECTION/items': {
    does: 'Returns a page of features',
    200: { [GEOJSON_TYPE]: featuresPageSchema },
  },
  'GET /api/features/collections/COLLECTION/items/ID': {
    does: 'Returns a feature',
    200: { [GEOJSON_TYPE]: featureSchema },
  },

  'GET /healthz': { does: 'Answers while the process runs', 200: TEXT },
  'GET /readyz': { does: 'Says whether operators can be served', 200: readyAnswerSchema, 503: readyAnswerSchema },
  'GET /metrics': { does: 'Returns metrics for Prometheus', 200: TEXT },
};

/** The contents of each status; null: no content. */
export function statusesOf(row: RouteAnswers): readonly (readonly [status: string, contents: Contents | null])[] {
  return Object.entries<Answer>(row as { readonly [status: number]: Answer })
    .filter(([key]) => /^\d+$/.test(key))
    .map(([status, answer]) => [status, answer && isSchema(answer) ? { [JSON_TYPE]: answer } : answer]);
}
