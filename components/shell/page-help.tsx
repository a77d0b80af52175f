'use client';

import { CircleQuestionMark } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useEffect, useEffectEvent, useState } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { topicOfPath } from './topic-of-path.ts';

const HelpDialog = onDemand('The help', () => import('./help-sheet.tsx').then((help) => help.HelpDialog));

/** The help of every page but the map, which has its own: a button and the key `?` open it at the topic of the page. */
export function PageHelp({ version }: { readonly version: string }) {
  const path = usePathname();
  const [isOpen, setOpen] = useState(false);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target, key, ctrlKey, altKey, metaKey } = event;
    if (path === '/' || event.defaultPrevented || ctrlKey || altKey || metaKey || key !== '?') return;
    if (target instanceof HTMLElement && target.matches('input, textarea, select')) return;
    setOpen((before) => !before);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  if (path === '/') return null;
  return (
    <>
      <div className="fixed right-3 bottom-3 z-30 print:hidden">
        <IconButton label="Help" icon={<CircleQuestionMark />} shortcut="?" onClick={() => setOpen(true)} />
      </div>
      {isOpen && <HelpDialog open onOpenChange={setOpen} topic={topicOfPath(path)} version={version} singleKeys />}
    </>
  );
}
