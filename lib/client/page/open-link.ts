import { type AddressState, liveAddress, parseAddress } from '#lib/api/address-state.ts';
import { LAYERS } from '#lib/model/position.ts';
import { selectionOf } from '#lib/model/selection.ts';
import type { Lookout } from './lookout-context.tsx';
import { enterReplay } from './replay/enter-replay.ts';

/** The type requires every part of a link. */
type Openers = { readonly [Part in keyof AddressState]: (lookout: Lookout, value: AddressState[Part]) => void };

/** A replay is opened last, of what the map shows by then. */
const open: Openers = {
  view: ({ mapCommands }, view) => view && mapCommands.run({ kind: 'show-view', view }),
  layers: ({ layersOn }, layers) => layersOn.set(layers ?? new Set(LAYERS)),
  filter: ({ filter: shown }, filter) => shown.set(filter),
  colouring: ({ colouring }, value) => colouring.set(value),
  selectedRefs: ({ display }, refs) => display.setSelection(selectionOf(refs)),
  replay: (lookout, linked) => {
    if (linked) enterReplay(lookout, linked);
    else lookout.replay.leave();
  },
};

export function openLink(lookout: Lookout, query: string): readonly string[] {
  const { state, ignored } = parseAddress(query);
  const parts = Object.keys(open) as (keyof AddressState)[];
  const openPart = <Part extends keyof AddressState>(part: Part) => open[part](lookout, state[part]);
  for (const part of parts) openPart(part);
  return ignored;
}

/** Always live, since a shift starts with the present. */
export function startAddress(query: string): string {
  return liveAddress(query).slice(1);
}
