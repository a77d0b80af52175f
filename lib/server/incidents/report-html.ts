import 'server-only';
import type { PastReason } from '#lib/api/layer-reason.ts';
import type { IncidentEntry } from '#lib/api/watching/incidents.ts';
import type { SightingCheck } from '#lib/api/watching/sightings.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import {
  checkLines,
  ENTRY_TEXT,
  incidentTimes,
  LAYER_IN_FULL,
  lowestText,
  personText,
  seenText,
  trackText,
  watchText,
} from '#lib/incidents/incident-text.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { groupedNumber, nearDistanceText } from '#lib/model/measure-text.ts';
import { receptionNotice, receptionSentences } from '#lib/model/measured-reception.ts';
import type { Layer } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { alarmStateText, alarmTitle, noteText, tagTexts, UNWATCHED_TEXT } from '#lib/zones/alarm-words.ts';
import { groundMap } from '../maps/ground-map.ts';
import {
  areaInWords,
  aroundOf,
  eventsOf,
  flags,
  html,
  keptTimes,
  type LayerWords,
  layerWords,
  lengthOf,
  notRealText,
  pageStart,
  windowOf,
} from './incident-words.ts';
import { keptPositions } from './kept-positions.ts';
import { areaMap, axisFigures, LIFELINES_MAX, TracksDrawn } from './report-drawings.ts';
import type { SealedMaterial } from './sealed-material.ts';

/** More would be a thousand pages; the file has them all in tracks.csv. */
const TRACKS_LISTED_MAX = 3000;

/** The report: one page that loads nothing, runs nothing, and prints on A4. */
export async function* reportHtml(material: SealedMaterial): AsyncGenerator<string> {
  const { incident, notes } = material;
  const layers = layerWords(material);
  const [fromMs, toMs] = windowOf(incident);
  const drawn = new TracksDrawn(layers, toMs - fromMs);
  for await (const rows of keptPositions(material.positions())) for (const row of rows) drawn.add(row);
  const words = new ReportWords(material, layers);
  const notReal = notRealText(layers);
  const { around, bounds } = aroundOf(incident.shape);
  const axis = axisFigures({
    window: [fromMs, toMs],
    kept: keptTimes(incident, layers),
    layers,
    stretchName: words.stretchName,
    events: eventsOf(material),
    drawn,
  });
  const map = areaMap({
    shape: incident.shape,
    bounds,
    ground: await groundMap(around),
    layers,
    drawn,
    notes: notes.flatMap(({ place }, index) =>
      place ? [{ name: `n${index + 1}`, lon: place[0], lat: place[1] }] : [],
    ),
  });
  yield pageStart(`Incident ${incident.number}: ${incident.title}`, STYLE.replaceAll('NUMBER', incident.number));
  yield `<body>
<header><p class="kind">Incident report. Made by Lookout, a program that shows and records received positions.</p><h1>${html(incident.number)} <bdi>${html(incident.title)}</bdi></h1>
<p>${words.fullTime(fromMs)} to ${words.fullTime(toMs)} (${lengthOf(toMs - fromMs)}). Z is universal time (UTC), not local time. <bdi>${html(areaInWords(incident))}</bdi></p></header>
${notReal === '' ? '' : `<p class="unreal"><b>${notReal}.</b> SIM: simulated, or a recording that was played. TEST: a broadcast that says it is a test.</p>`}
<section class="answers" aria-label="The answer">${layers.map(answerBox).join('')}</section>
<p class="care">“Received”: a receiver picked up the position that a drone or an aircraft broadcast about itself by radio. Drones do so by Remote ID, aircraft by ADS-B. Nothing here says that the area was empty: many drones broadcast nothing.</p>
${words.facts()}
<h2>What happened when</h2>
<div class="wide">${axis.map((figure) => `<figure>${figure}</figure>`).join('')}</div>
<p class="key"><span class="k watched"></span>watched <span class="k partly"></span>partly watched <span class="k not_watched"></span>not watched, or not read <span class="k life"></span>received inside the area <span class="k life sim"></span>the same, SIM or TEST. Grey: before and after the times of the incident. a: alarm, n: note, N: not watched, D: drone, A: aircraft; the tables below have each.</p>
`;
  const tracks = layers.reduce((sum, layer) => sum + layer.tracks.length, 0);
  if (tracks > LIFELINES_MAX)
    yield `<p>The first ${LIFELINES_MAX} of ${groupedNumber(tracks)} tracks are drawn on the axis; tracks.csv has all.</p>\n`;
  yield `<h2>Where</h2>
<figure>${map}</figure>
<p class="key">Dark lines: tracks received inside, each from its small circle. Light lines: tracks received only outside the area${drawn.isCut ? ' (not all of them are drawn)' : ''}. Dotted: a short break. Where a track was not received, there is no line. Dashed outline: the area. Brown lines: SIM or TEST. Lines are thinned out; positions.csv has every position.${map.includes('"sea"') ? '' : ' No coast on this copy.'}</p>
<h2>Tracks received inside the area</h2>
`;
  yield* words.tracks();
  yield words.stretches();
  yield words.reception();
  yield words.alarms();
  yield words.notes();
  yield words.checking();
  yield '</body>\n</html>\n';
}

function answerBox({ name, headline, details, verdict }: LayerWords): string {
  return `<div class="answer ${verdict}"><h2>${html(name)}</h2><p class="headline">${html(headline)}</p>${details.map((text) => `<p>${html(text)}</p>`).join('')}</div>`;
}

class ReportWords {
  readonly #material: SealedMaterial;
  readonly #layers: readonly LayerWords[];
  readonly #stretches: readonly {
    readonly name: string;
    readonly layer: LayerWords;
    readonly from: string;
    readonly to: string;
    readonly reason: PastReason;
  }[];
  readonly #noteNames: ReadonlyMap<string, string>;
  readonly #trackNames: ReadonlyMap<string, string>;
  readonly #time: (at: string | null) => string;

  constructor(material: SealedMaterial, layers: readonly LayerWords[]) {
    this.#material = material;
    this.#layers = layers;
    let count = 0;
    this.#stretches = layers.flatMap((layer) =>
      layer.answer.not_watched.map((stretch) => ({ ...stretch, layer, name: `N${++count}` })),
    );
    this.#noteNames = new Map(material.notes.map(({ id }, index) => [id, `n${index + 1}`]));
    this.#trackNames = new Map(
      layers.flatMap(({ layer, tracks }) => tracks.map(({ track, name }) => [`${layer} ${track}`, name])),
    );
    const time = incidentTimes(material.incident, 'utc');
    this.#time = (at) => (at === null ? 'an unknown time' : time(at));
  }

  /** The name of the stretch of the answer in which a kept one lies; empty for one outside the window. */
  readonly stretchName = (layer: string, fromMs: number): string => {
    const atMs = Math.max(fromMs, windowOf(this.#material.incident)[0]);
    const found = this.#stretches.find(
      (each) => each.layer.layer === layer && Date.parse(each.from) <= atMs && Date.parse(each.to) > atMs,
    );
    return found?.name ?? '';
  };

  fullTime(at: string | number): string {
    return dateTimeText(upstreamInstant(typeof at === 'string' ? Date.parse(at) : at), 'utc');
  }

  readonly #trackText = (ref: string, layer: Layer): string => {
    const name = this.#trackNames.get(`${layer} ${ref}`);
    return name ? `${name} …${shortReference(ref)}` : trackText(ref, layer);
  };

  facts(): string {
    const { incident, sealed } = this.#material;
    const { opened, closed, kept } = incident;
    const rows: readonly (readonly [string, string])[] = [
      ['Opened', `${this.fullTime(opened.at)} by ${personText(opened.by)}`],
      ['Closed', closed ? `${this.fullTime(closed.at)} by ${personText(closed.by)}` : 'not yet'],
      ['Sealed', `${this.fullTime(sealed.atMs)} by ${personText(sealed.by)}`],
      [
        'Positions in the file',
        kept
          ? `${groupedNumber(kept.positions)}, in the area and 2 km around it, from 3 minutes before to 3 minutes after`
          : 'not stated',
      ],
    ];
    return `<table class="facts"><tbody>${rows.map(([name, text]) => `<tr><th scope="row">${name}</th><td><bdi>${html(text)}</bdi></td></tr>`).join('')}</tbody></table>\n`;
  }

  *tracks(): Generator<string> {
    const all = this.#layers.flatMap(({ name, tracks }) => tracks.map((track) => ({ layer: name, track })));
    if (all.length === 0) {
      yield '<p>None.</p>\n';
      return;
    }
    const remarks = new Map(this.#material.pins.tracks.map(({ track, remark }) => [track, remark]));
    yield `<table class="tracks">${headOf(['', 'Track', 'First inside', 'Last inside', 'Lowest', 'Nearest', 'Positions'])}<tbody>`;
    for (const { track } of all.slice(0, TRACKS_LISTED_MAX)) {
      const remark = remarks.get(track.track);
      const said = remark ? `<br><bdi>${html(remark)}</bdi>` : '';
      yield `<tr><th scope="row">${track.name}</th><td><code>${html(track.track)}</code>${flags(track)}${said}</td><td>${this.#time(track.first_at)}</td><td>${this.#time(track.last_at)}</td><td>${html(lowestText(track, 'metric'))}</td><td>${nearDistanceText('metric', track.nearest_m)}</td><td class="n">${groupedNumber(track.positions)}</td></tr>\n`;
    }
    yield '</tbody></table>\n';
    if (all.length > TRACKS_LISTED_MAX)
      yield `<p>${groupedNumber(all.length - TRACKS_LISTED_MAX)} more tracks are in tracks.csv.</p>\n`;
    yield `<p class="key">Times without a date are of ${this.fullTime(this.#material.incident.from).slice(0, 10)}. A track is what was received under one reference: it may be less than a flight, and names no aircraft and no pilot. “Lowest” and “Nearest” are of its positions inside the area; “Nearest” is to the zone’s landmark, or else to the middle of the area.</p>\n`;
  }

  stretches(): string {
    const rows = this.#stretches.map(
      ({ name, layer, from, to, reason }) =>
        `<tr><th scope="row">${name}</th><td>${html(layer.name)}</td><td class="at">${this.#time(from)}</td><td class="at">${this.#time(to)}</td><td class="at">${lengthOf(Date.parse(to) - Date.parse(from))}</td><td>${html(watchText({ reason }))}</td></tr>`,
    );
    return `<h2>What was not watched</h2>\n${
      rows.length === 0
        ? `<p>Nothing: all was watched, all the time.${this.#unwatchedForAlarms().length > 0 ? ' Only the zone’s rules were not applied all the time: see Alarms.' : ''}</p>\n`
        : `<table>${headOf(['', 'Signal', 'From', 'To', 'Length', 'Why'])}<tbody>${rows.join('\n')}</tbody></table>\n<p class="key">What else was in the area at these times is not known. “Not read”: the record of that time could not be read.</p>\n`
    }`;
  }

  reception(): string {
    const { reception, layers: asked } = this.#material.answer;
    if (!reception) return '';
    const layers = reception.layers.filter(({ layer }) => asked[layer]);
    const said = layers.flatMap((of) => receptionSentences(of, 'metric')).map((text) => `<p>${html(text)}</p>\n`);
    return `<h2>Would it have been received?</h2>\n${said.join('')}<p class="key">${html(receptionNotice(layers))}</p>\n`;
  }

  alarms(): string {
    const { alarms, pins } = this.#material;
    if (alarms.length === 0) return `<h2>Alarms</h2>\n<p>None.</p>\n${this.#notWatchedForAlarms()}`;
    const remarks = new Map(pins.added.map(({ alarm, remark }) => [alarm, remark]));
    const rows = alarms.map((alarm, index) => {
      const said = alarm.notes.map((note) => `<br><bdi>${html(noteText(note, this.#time))}</bdi>`).join('');
      const remark = remarks.get(alarm.id);
      const about = alarm.track === null ? '' : ` ${this.#trackText(alarm.track, alarm.layer)}`;
      const tags = tagTexts(alarm, this.#time);
      return `<tr><th scope="row">a${index + 1}</th><td class="at">${this.#time(alarm.opened_at)}</td><td><b>${html(alarmTitle(alarm))}</b>${html(about)}${tags.length === 0 ? '' : ` <b class="flag">${html(tags.join(', '))}</b>`}<br>${html(alarmStateText(alarm, this.#time))}${remark ? `<br><bdi>${html(remark)}</bdi>` : ''}${said === '' ? '<br>No operator answered it.' : said}</td><td><bdi>${html(alarm.zone.name)}</bdi></td></tr>`;
    });
    return `<h2>Alarms</h2>\n<table>${headOf(['', 'Opened', 'Alarm, and what operators answered', 'Zone'])}<tbody>${rows.join('\n')}</tbody></table>\n<p class="key">Lookout raises an alarm when a received position meets a rule of a zone. “Acknowledged”: an operator has seen it. Where alarms were sent, and each act of an operator: deliveries.json, audit.json.</p>\n${this.#notWatchedForAlarms()}`;
  }

  /** A zone can be unwatched, as before its rules were made, while positions are received. */
  #unwatchedForAlarms(): SealedMaterial['watched'] {
    const { watched, incident } = this.#material;
    const [fromMs, toMs] = windowOf(incident);
    return watched.filter(
      ([what, , from, to, state]) =>
        what === 'alarms' && state !== 'watched' && Date.parse(from ?? '') < toMs && Date.parse(to ?? '') > fromMs,
    );
  }

  #notWatchedForAlarms(): string {
    const missing = this.#unwatchedForAlarms();
    if (missing.length === 0) return '';
    const rows = missing.map(
      ([, layer, from, to, state, reason]) =>
        `<tr><td>${LAYER_IN_FULL[layer as Layer]}</td><td class="at">${this.#time(from ?? null)}</td><td class="at">${this.#time(to ?? null)}</td><td>${state === 'partly' ? 'Partly watched' : 'Not watched'}: ${html(UNWATCHED_TEXT[reason as keyof typeof UNWATCHED_TEXT] ?? '')}</td></tr>`,
    );
    return `<p>The zone’s rules were not applied in these times, so that no alarm was raised. Positions of these times are in this file where they were received.</p>\n<table>${headOf(['Signal', 'From', 'To', 'Why'])}<tbody>${rows.join('\n')}</tbody></table>\n`;
  }

  notes(): string {
    const { notes } = this.#material;
    if (notes.length === 0) return '<h2>Notes</h2>\n<p>None.</p>\n';
    const correctedBy = new Map(
      notes.flatMap(({ id, corrects }) => (corrects === null ? [] : [[corrects, id] as const])),
    );
    const rows = notes.map((note) => {
      const { id, at, written_at, by, kind, text, place, corrects } = note;
      const corrected = correctedBy.get(id);
      const lines = [
        corrects === null ? '' : `<p><b>Corrects ${this.#noteNames.get(corrects) ?? 'an earlier note'}:</b></p>`,
        text === '' ? '' : `<p class="said"><bdi>${html(text)}</bdi></p>`,
        place && kind !== 'sighting' ? `<p>At ${decimalText({ lon: place[0], lat: place[1] })}</p>` : '',
        note.check ? this.#sighting(note, note.check) : '',
        corrected === undefined ? '' : `<p><b>Corrected by ${this.#noteNames.get(corrected)}.</b></p>`,
      ];
      const late =
        Math.abs(Date.parse(written_at) - Date.parse(at)) >= MINUTE_MS ? `<br>written ${this.#time(written_at)}` : '';
      return `<tr><th scope="row">${this.#noteNames.get(id)}</th><td>${this.#time(at)}${late}</td><td>${ENTRY_TEXT[kind]}<br><bdi>${html(personText(by))}</bdi></td><td>${lines.join('')}</td></tr>`;
    });
    return `<h2>Notes and sightings</h2>\n<table class="notes">${headOf(['', 'Time', 'Kind, person', 'What'])}<tbody>${rows.join('\n')}</tbody></table>\n`;
  }

  #sighting({ sighting, place }: IncidentEntry, check: SightingCheck): string {
    const from = place ? `Seen from ${decimalText({ lon: place[0], lat: place[1] })}, ` : 'Seen ';
    const lines = checkLines(check, 'metric', this.#time, this.#trackText).map(({ text }) => `<li>${html(text)}</li>`);
    return `<p>${from}${html(seenText(sighting, 'metric'))}.</p><ul>${lines.join('')}</ul><p>That a track fits does not say that it was what the person saw. Bearings are clockwise from true north; “off” is the angle to the bearing that the person stated.</p>`;
  }

  checking(): string {
    return `<h2>What this record can say, and what it cannot</h2>
<ul class="text"><li>It can say that a signal with these positions was received at these times. Drones (Remote ID) and aircraft (ADS-B) broadcast them themselves: a position can be inexact or false, and a broadcast can be imitated.</li>
<li>It cannot say that no drone was there. A drone that broadcasts nothing, or is too far from a receiver, is not in it. “None received while watched” says only that the receivers worked and heard none.</li>
<li>“Not known” names times in which receivers did not work, or of which the record could not be read. Neither presence nor absence follows from it.</li>
<li>It names no pilot and no owner. A reference belongs to one track, not to a person or an aircraft; two tracks can be of one drone.</li>
<li>Heights: “height above ground” is estimated. “Altitude” has no stated datum (zero level), and can differ from the height above the sea by tens of metres. “Not reported” is never zero.</li>
<li>SIM and TEST mark what is no real traffic. They are counted apart.</li>
<li>Notes and sightings are what people wrote, unchanged. A corrected note stays. “An operator” has no name where Lookout ran without sign-in.</li></ul>
<h2>How to check this file</h2>
<p>This report is one file of a ZIP file, which also has its data, a list of checksums (SHA-256), and a signature of that list (Ed25519). README.txt says what each file is. In the unpacked folder, on Linux, or elsewhere with sha256sum and OpenSSL 3:</p>
<pre>sha256sum -c SHA256SUMS
openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig</pre>
<p>The first command says OK for each file, the second “Signature Verified Successfully”. Compare the key below with the one that the operator of Lookout gives you in another way: anyone can sign with a key of their own.</p>
<pre>${html(this.#material.publicPem.trim())}</pre>
`;
  }
}

function headOf(names: readonly string[]): string {
  return `<thead><tr>${names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`)).join('')}</tr></thead>`;
}

const STYLE = `
:root{color-scheme:light only}
*{box-sizing:border-box;print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{margin:0 auto;padding:24px 20px 60px;max-width:820px;background:#fff;color:#16191d;font:14px/1.45 system-ui,-apple-system,"Segoe UI","Liberation Sans",Arial,sans-serif;overflow-wrap:break-word}
bdi,code{overflow-wrap:anywhere}
h1{margin:0 0 6px;font-size:24px;line-height:1.2}
h2{margin:26px 0 8px;font-size:16px;line-height:1.25;break-after:avoid}
p{margin:0 0 6px}
.kind{margin:0;color:#4d5661}
.answers{display:grid;gap:10px;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));margin:16px 0 10px}
.answer{padding:10px 14px;border:1px solid #59636e;border-left:6px solid #16191d;break-inside:avoid}
.answer.none_while_watched{border-left-style:double}
.answer.not_known{border-left-style:dashed}
.answer h2{margin:0;font-size:14px;font-weight:500}
.headline{margin:2px 0 6px;font-size:19px;line-height:1.25;font-weight:700}
.care{color:#3a424b}
table{width:100%;border-collapse:collapse;font-size:13px;line-height:1.35}
thead{display:table-header-group}
tr{break-inside:avoid}
th,td{padding:4px 8px 4px 0;border-bottom:1px solid #cdd3d9;text-align:left;vertical-align:top}
thead th{border-bottom:1.5px solid #16191d;white-space:nowrap}
tbody th{width:1%;white-space:nowrap;font-weight:600}
.facts{margin-top:14px}.facts th{padding-right:18px;font-weight:500;color:#4d5661}
.tracks td:nth-child(2){min-width:172px}.tracks td:nth-child(3),.tracks td:nth-child(4),.tracks td:nth-child(6){white-space:nowrap}
.n,.tracks thead th:last-child{text-align:right}
td p{margin:0 0 3px}td ul{margin:2px 0 4px;padding-left:18px}
.notes td:nth-child(2),.notes td:nth-child(3){width:1%;white-space:nowrap}
.at{white-space:nowrap}
.said{white-space:pre-wrap}
.flag{padding:0 4px;border:1px solid #16191d;font-size:11px;white-space:nowrap}
code,pre{font:12px/1.4 ui-monospace,"Liberation Mono",Consolas,monospace}
pre{padding:8px 10px;background:#f2f4f6;white-space:pre-wrap;word-break:break-all;break-inside:avoid}
.text{padding-left:20px}.text li{margin:0 0 5px;break-inside:avoid}
.wide{overflow-x:auto}
figure{margin:0 0 10px;break-inside:avoid}
svg{display:block;width:100%;min-width:560px;height:auto;font:9.5px system-ui,-apple-system,"Segoe UI","Liberation Sans",Arial,sans-serif}
.map{min-width:0}
svg text{fill:#16191d}.mid{text-anchor:middle}.end{text-anchor:end}.b{font-weight:700}.tag{font-size:8.5px}
.outside{fill:#eceff2}.tick{stroke:#c3cad1;stroke-width:.6;fill:none}.edge{stroke:#16191d;stroke-width:1;fill:none}
.watched{fill:#5b86b0;background:#5b86b0}
.partly{fill:#c9d9e8;stroke:#3f6a94;stroke-dasharray:2 1.5;background:#c9d9e8}
.not_watched{fill:#fff;stroke:#16191d;stroke-width:1;background:#fff}
.alarm{fill:#b3261e}.note,.noted{fill:#16191d}
.life{fill:#16191d;background:#16191d}.life.sim{fill:url(#stripes);stroke:#7a3d00;stroke-width:.8;background:repeating-linear-gradient(90deg,#7a3d00 0 2px,#fff 2px 4px)}.stripe{fill:#7a3d00}
.unreal{margin:12px 0 0;padding:8px 12px;border:2px solid #7a3d00;background:#fdf3e7}
.key{margin:4px 0 10px;font-size:12px;color:#3a424b;break-before:avoid}
.k{display:inline-block;width:18px;height:9px;margin:0 4px 0 8px;border:1px solid #16191d}.k:first-child{margin-left:0}.k.partly{border-style:dashed}
.unmapped{fill:#fff}.sea{fill:#dde8f1}.land{fill:#fbfaf7}.lakes{fill:#dde8f1}.rivers{fill:none;stroke:#c5d7e6;stroke-width:.8}.coast{fill:none;stroke:#7d8f9f;stroke-width:.7}.borders{fill:none;stroke:#8a7f8f;stroke-width:.8;stroke-dasharray:6 2 1 2}
.runways{fill:none;stroke:#8b9299;stroke-width:2.4}
.area{fill:#16191d;fill-opacity:.06;stroke:#16191d;stroke-width:1.4;stroke-dasharray:6 3}
.in,.by{fill:none;stroke:#123f73;stroke-width:1.3;stroke-linejoin:round;stroke-linecap:round}.by{stroke:#9fb0c0;stroke-width:.8}.in.sim{stroke:#7a3d00}.dots{stroke-dasharray:.1 3}
.start{fill:#fff;stroke:#123f73;stroke-width:1}
.name{font-size:9px;font-weight:700;paint-order:stroke;stroke:#fff;stroke-width:2.4px}.town{fill:#6a737c;font-size:8.5px;paint-order:stroke;stroke:#fff;stroke-opacity:.7;stroke-width:2px}.port{fill:#4d5661;font-size:9px;paint-order:stroke;stroke:#fff;stroke-opacity:.7;stroke-width:2px}
.frame{fill:none;stroke:#16191d;stroke-width:1}.bar{fill:none;stroke:#16191d;stroke-width:1.6}.north{fill:#16191d}
@media (max-width:640px){body{padding:16px 12px 40px}table:not(.facts){display:block;overflow-x:auto;font-size:12px}td bdi,code{overflow-wrap:break-word}.tracks td:nth-child(5){min-width:110px}.notes td:nth-child(4){min-width:220px}.tracks td:nth-child(2){min-width:150px}}
@page{size:A4;margin:18mm 15mm 16mm;@top-left{content:"Incident NUMBER";font:9px system-ui,sans-serif;color:#4d5661}@top-right{content:"Sealed record of received positions";font:9px system-ui,sans-serif;color:#4d5661}@bottom-right{content:"Page " counter(page) " of " counter(pages);font:9px system-ui,sans-serif;color:#4d5661}}
@media print{body{max-width:none;padding:0;font-size:10.5pt}table{font-size:9pt}pre{font-size:7.8pt}.wide{overflow:visible}a{color:inherit}}
`;
