'use client';

import { CircleQuestionMark } from 'lucide-react';
import { useState } from 'react';
import { usePageKey } from '#lib/client/browser/pressed-key.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { topicOfPath } from './topic-of-path.ts';

const HelpDialog = onDemand('The help', () => import('./help-sheet.tsx').then((help) => help.HelpDialog));

interface PageHelpProps {
  readonly version: string;
  /** Where the help opens. */
  readonly path: string;
  /** Default: true, where no preferences are read. */
  readonly singleKeys?: boolean;
}

/** The help of every page but the map, which has its own. The key `?` opens and closes it, at the topic of the page. */
export function usePageHelp({ version, path, singleKeys = true }: PageHelpProps) {
  const [isOpen, setOpen] = useState(false);
  usePageKey('?', singleKeys, () => setOpen((before) => !before));
  const dialog = isOpen && (
    <HelpDialog open onOpenChange={setOpen} topic={topicOfPath(path)} version={version} singleKeys={singleKeys} />
  );
  return { open: () => setOpen(true), dialog };
}

interface HelpButtonProps {
  readonly onOpen: () => void;
  readonly hasKey: boolean;
  readonly className?: string;
}

export function HelpButton({ onOpen, hasKey, className }: HelpButtonProps) {
  return (
    <IconButton
      label="Help"
      icon={<CircleQuestionMark />}
      {...(hasKey && { shortcut: '?' })}
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
      <HelpButton onOpen={open} hasKey={props.singleKeys ?? true} />
      {dialog}
    </>
  );
}
