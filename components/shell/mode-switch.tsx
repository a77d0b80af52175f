'use client';

import { useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import { toggleReplay } from '#lib/client/page/replay/toggle-replay.ts';
import { useMay } from '#lib/client/page/use-may.ts';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

export function ModeSwitch() {
  const lookout = useLookout();
  const isReplaying = useIsReplaying();
  const maySpend = useMay('spend');
  const switchText = (label: string) =>
    label === 'Replay' && !maySpend
      ? 'Switch to replay: what is loaded of the past already'
      : `Switch to ${label.toLowerCase()}`;
  const choice = (label: string, isOn: boolean, onClass: string) => (
    <Tooltip text={isOn ? `${label}: shown now` : switchText(label)} shortcut="R">
      <button
        type="button"
        aria-pressed={isOn}
        aria-keyshortcuts="R"
        onClick={() => !isOn && toggleReplay(lookout)}
        className={classNames('h-full px-3 font-semibold text-table', isOn ? onClass : 'text-dim hover:text-text')}
      >
        {label}
      </button>
    </Tooltip>
  );
  return (
    <div className="flex h-7 items-center overflow-hidden rounded-control border border-edge phone:hidden">
      {choice('Live', !isReplaying, 'bg-raised text-text')}
      {choice('Replay', isReplaying, 'bg-warning text-surface')}
    </div>
  );
}
