import 'server-only';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { SealedMaterial } from './sealed-material.ts';

/** For a person who receives the file, and has neither Lookout nor anybody to ask. */
export function readmeText({ incident, sealed }: SealedMaterial): string {
  const by = sealed.by === '' ? '' : ` by ${sealed.by}`;
  return `Incident ${incident.number}: ${incident.title}
Sealed ${formatInstant(upstreamInstant(sealed.atMs))}${by}

What this is
  A record of what receivers received in one area and time: positions that drones (Remote ID) and
  aircraft (ADS-B) broadcast themselves. A drone that broadcasts nothing is not in it. Where nothing
  was received, the record says whether receivers were watching. It never says that nothing was there.

Open first
  report.html      the report, for reading and printing; needs no network and no program but a browser
  replay.html      the same positions on a map, to play and to wind back and forth

The data
  answer.json      for each layer: received, none received while watched, or not known
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

  Times are UTC. Empty means "not reported", never zero. altitude_m has no stated reference;
  height_agl_m is above ground and estimated. simulated and test mark what is no real traffic.

How to check that nothing was changed (on Linux or macOS, in this folder)
  sha256sum -c SHA256SUMS
  openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
  The first says OK for each file, the second "Signature Verified Successfully". Compare public.pem
  with the key that the operator of Lookout gives you in another way: anyone can sign with a key of
  their own.
`;
}
