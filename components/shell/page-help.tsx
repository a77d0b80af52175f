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

/** The help of every page but the map, which has its own. The key `?` opens and closes it, at the topic of the page. */
export function usePageHelp({ version, singleKeys = true }: PageHelpProps) {
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
  const dialog = isOpen && (
    <HelpDialog open onOpenChange={setOpen} topic={topicOfPath(path)} version={version} singleKeys={singleKeys} />
  );
  return { open: () => setOpen(true), dialog };
}

export function HelpButton({ onOpen, className }: { readonly onOpen: () => void; readonly className?: string }) {
  return (
    <IconButton
      label="Help"
      icon={<CircleQuestionMark />}
      shortcut="?"
      look="quiet"
      className={className}
      onClick={onOpen}
    />
  );
}

/** The help of a page without a bar. */
export function PageHelp(props: PageHelpProps) {
  const { open, dialog } = usePageHelp(props);
  return (
    <>
      <HelpButton onOpen={open} />
      {dialog}
    </>
  );
}
