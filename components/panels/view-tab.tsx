'use client';

import { CircleQuestionMark, LogOut } from 'lucide-react';
import { useState } from 'react';
import { LAYER_NAME } from '#lib/client/layer-words.ts';
import { useLayersOn, useLookout, usePreferences } from '#lib/client/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { LAYER_DISPLAY_ORDER } from './layer-display-order.ts';
import { signOut } from './sign-out.ts';

/** Layers, and how this browser shows them. */
export function ViewTab({ narrow, onHelp }: { readonly narrow: boolean; readonly onHelp: () => void }) {
  const { operator } = useLookout();
  const [layersOn, setLayerOn] = useLayersOn();
  const [preferences, change] = usePreferences();
  return (
    <div className="flex flex-col gap-4 p-4">
      {LAYER_DISPLAY_ORDER.map((layer) => (
        <SwitchRow
          key={layer}
          label={`${LAYER_NAME[layer]} layer`}
          note="Switched off, it is not asked for."
          checked={layersOn.has(layer)}
          onChange={(on) => setLayerOn(layer, on)}
        />
      ))}
      <ChoiceRow
        label="Labels on the map"
        value={preferences.labels}
        choices={[
          { value: 'off', label: 'Off' },
          { value: 'reference', label: 'Reference' },
          { value: 'full', label: 'Full' },
        ]}
        onChange={(labels) => change({ labels })}
      />
      <ChoiceRow
        label="Units"
        value={preferences.units}
        choices={[
          { value: 'metric', label: 'Metric' },
          { value: 'aviation', label: 'Aviation' },
          { value: 'imperial', label: 'Imperial' },
        ]}
        onChange={(units) => change({ units })}
      />
      <ChoiceRow
        label="Clock"
        value={preferences.zone}
        choices={[
          { value: 'utc', label: 'UTC' },
          { value: 'local', label: 'Local' },
        ]}
        onChange={(zone) => change({ zone })}
      />
      <ChoiceRow
        label="Theme"
        value={preferences.theme}
        choices={[
          { value: 'system', label: 'System' },
          { value: 'dark', label: 'Dark' },
          { value: 'light', label: 'Light' },
        ]}
        onChange={(theme) => change({ theme })}
      />
      <SwitchRow
        label="What fields mean"
        note="A line under each value of the selected track."
        checked={preferences.fieldNotes}
        onChange={(fieldNotes) => change({ fieldNotes })}
      />
      <SwitchRow
        label="Single-letter keys"
        note="Esc works either way."
        checked={preferences.singleKeys}
        onChange={(singleKeys) => change({ singleKeys })}
      />
      {narrow && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={onHelp}>
            <CircleQuestionMark aria-hidden size={16} />
            Help
          </Button>
          {operator !== undefined && <SignOutButton operator={operator} />}
        </div>
      )}
    </div>
  );
}

function SignOutButton({ operator }: { readonly operator: string }) {
  const [failed, setFailed] = useState(false);
  const leave = async () => {
    if (await signOut()) window.location.reload();
    else setFailed(true);
  };
  return (
    <>
      <Button onClick={() => void leave()}>
        <LogOut aria-hidden size={16} />
        Sign out {operator}
      </Button>
      {failed && (
        <p role="alert" className="text-bad">
          Signing out did not work. Try again.
        </p>
      )}
    </>
  );
}
