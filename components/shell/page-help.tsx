'use client';

import { CircleQuestionMark } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useEffect, useEffectEvent, useState } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { topicOfPath } from './topic-of-path.ts';

const HelpDialog = onDemand('The help', () => import('./help-sheet.tsx').then((help) => help.HelpDialog));

interface PageHelpProps {
  readonly version: string;
  /** Default: true, where no preferences are read. */
  readonly singleKeys?: boolean;
}

/** The help of every page but the map, which has its own: a button and the key `?` open it at the topic of the page. */
export function PageHelp({ version, singleKeys = true }: PageHelpProps) {
  const path = usePathname();
  const [isOpen, setOpen] = useState(false);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target, key, ctrlKey, altKey, metaKey } = event;
    if (!singleKeys || event.defaultPrevented || ctrlKey || altKey || metaKey || key !== '?') return;
    if (target instanceof HTMLElement && target.matches('input, textarea, select')) return;
    setOpen((before) => !before);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  return (
    <>
      <IconButton
        label="Help"
        icon={<CircleQuestionMark />}
        shortcut="?"
        look="quiet"
        className="shrink-0"
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <HelpDialog
          open
          onOpenChange={setOpen}
          topic={topicOfPath(path)}
          version={version}
          singleKeys={singleKeys}
        />
      )}
    </>
  );
}
