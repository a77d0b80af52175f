'use client';

import { CircleQuestionMark } from 'lucide-react';
import { useState } from 'react';
import { topicOfPath } from '../shell/topic-of-path.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { usePageKey } from '../ui/pressed-key.ts';

const HelpDialog = onDemand('The help', () => import('../shell/help-sheet.tsx').then((help) => help.HelpDialog));

interface PageHelpProps {
  readonly version: string;
  readonly path: string;
  /** `undefined` on a page that has no keys. */
  readonly singleKeys?: boolean;
}

/** The help of every page but the map, which has its own: a button and the key `?` open it at the topic of the page. */
export function PageHelp({ version, path, singleKeys }: PageHelpProps) {
  const [isOpen, setOpen] = useState(false);
  const hasKey = singleKeys === true;
  usePageKey('?', hasKey, () => setOpen((before) => !before));
  return (
    <>
      <IconButton
        label="Help"
        icon={<CircleQuestionMark />}
        look="quiet"
        {...(hasKey && { shortcut: '?' })}
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <HelpDialog
          open
          onOpenChange={setOpen}
          topic={topicOfPath(path)}
          version={version}
          singleKeys={singleKeys ?? true}
        />
      )}
    </>
  );
}
