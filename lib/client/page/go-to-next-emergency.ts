import { nextEmergency } from '#lib/picture/next-emergency.ts';
import { zoomToSeparate } from '#lib/picture/zoom-to-separate.ts';
import type { Lookout } from './lookout-context.tsx';

const APART_PX = 40;
/** Nearer, the map shows hardly anything around the mark. */
const MAX_ZOOM = 14;

type Emergencies = Pick<Lookout, 'display' | 'emergencyNote' | 'filter' | 'mapCommands' | 'mapView'>;

/** Near enough that each mark stands free. If the filter hides all emergencies, it shows them. */
export function goToNextEmergency(lookout: Emergencies): void {
  const { display, emergencyNote, filter, mapCommands, mapView } = lookout;
  const { selectedRef, filtered } = display.summary();
  if (display.picture().emergencies.length === 0 && filtered.hiddenEmergencies > 0) {
    filter.set({ ...filter.get(), emergency: 'show' });
  }
  const picture = display.picture();
  const slot = nextEmergency(picture, selectedRef === undefined ? undefined : display.tracks.slotOf(selectedRef));
  if (slot === undefined) {
    emergencyNote.set('No emergency among the tracks shown.');
    return;
  }
  const { ref, lon, lat } = display.tracks.positionAt(slot);
  const zoom = zoomToSeparate(picture, slot, { zoom: mapView.get().zoom, apartPx: APART_PX, maxZoom: MAX_ZOOM });
  display.select(ref);
  mapCommands.run({ kind: 'centre', lon, lat, zoom });
}
