import 'server-only';
import { personText } from '#lib/incidents/incident-text.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { layerWords, notRealText } from './incident-words.ts';
import type { SealedMaterial } from './sealed-material.ts';

/** For a person who receives the file, and has neither Lookout nor anybody to ask. */
export function readmeText(material: SealedMaterial): string {
  const { incident, sealed } = material;
  const notReal = notRealText(layerWords(material));
  return `Incident ${incident.number}: ${incident.title}
Sealed ${dateTimeText(upstreamInstant(sealed.atMs), 'utc')} by ${personText(sealed.by)}
${notReal === '' ? '' : `${notReal}\n`}
What this is
  Lookout is a program that shows and records positions which drones (by Remote ID) and aircraft (by
  ADS-B) broadcast about themselves by radio. This is its record of one area and time: what receivers
  received, and when they were watching. A drone that broadcasts nothing is not in it. "Received" does
  not say that the position is true, and "not received" does not say that nothing was there.

Open first
  report.html      the report, for reading and printing; needs no network and no program but a browser
  replay.html      the same positions on a map, to play and to wind back and forth

The data
  answer.json      for each signal: received, none received while watched, or not known; and in which
                   share of the time tracks were received there (reception)
  tracks.csv       each received track in the area: first, last, lowest, nearest
  positions.csv    every received position, also up to 2 km around the area and up to 3 minutes
                   before and after; "inside" says whether it lies in the area
  watched.csv      when positions could be received (what = positions), and when the zone was watched
                   for alarms (what = alarms): watched, partly, not_watched, and why
  alarms.json      alarms of the area, with what operators answered
  notes.json       notes of operators, and sightings with their check
  deliveries.json  where alarms were sent, and whether they arrived
  zones.geojson    the area, and each earlier state of its zone
  audit.json       what people did to the alarms and to this incident
  software.json    the versions of the programs, and settings that matter

  SHA256SUMS, SHA256SUMS.sig and public.pem are for the check below.
  Times end in Z: universal time (UTC), not local time. "rid" is Remote ID. An empty cell means "not
  reported", never zero. altitude_m has no stated datum (zero level); height_agl_m is above ground and
  estimated. "simulated" and "test" mark what is no real traffic. A track is what was received under
  one reference; it names no aircraft and no person.

How to check that nothing was changed (on Linux, or elsewhere with sha256sum and OpenSSL 3)
  unzip incident-${incident.number}.zip -d incident-${incident.number} && cd incident-${incident.number}
  sha256sum -c SHA256SUMS
  openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
  The second command says OK for each file, the third "Signature Verified Successfully". That proves
  only who signed if the key is known: compare public.pem with the key that the operator of Lookout
  gives you in another way. Anyone can sign with a key of their own.
`;
}
