import {
  ClipboardList,
  Grid3x3,
  HeartPulse,
  type LucideIcon,
  Map as MapIcon,
  RadioTower,
  ScrollText,
  Send,
  UserCog,
  Users,
} from 'lucide-react';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';

type Viewer = Pick<PageViewer, 'operator' | 'isAdmin' | 'isLimited' | 'hasReceivers'>;

interface PageRow {
  readonly address: string;
  readonly text: string;
  readonly Icon: LucideIcon;
  /** Whether it is open to the viewer. */
  isOpen(viewer: Viewer): boolean;
}

/** The pages of Lookout, in the order of the navigation. A new page is a row here. */
const PAGES: readonly PageRow[] = [
  { address: '/', text: 'Map', Icon: MapIcon, isOpen: ({ isLimited }) => !isLimited },
  { address: '/overview', text: 'Overview', Icon: Grid3x3, isOpen: ({ isLimited }) => !isLimited },
  { address: '/incidents', text: 'Incidents', Icon: ClipboardList, isOpen: ({ isLimited }) => !isLimited },
  { address: '/admin/outputs', text: 'Outputs', Icon: Send, isOpen: ({ isAdmin }) => isAdmin },
  {
    address: '/admin/receivers',
    text: 'Receivers',
    Icon: RadioTower,
    isOpen: ({ isAdmin, hasReceivers }) => isAdmin && hasReceivers,
  },
  { address: '/admin', text: 'People', Icon: Users, isOpen: ({ isAdmin, operator }) => isAdmin && !!operator },
  {
    address: '/admin/audit',
    text: 'Audit',
    Icon: ScrollText,
    isOpen: ({ isAdmin, operator }) => isAdmin && !!operator,
  },
  { address: '/admin/doctor', text: 'Health', Icon: HeartPulse, isOpen: ({ isAdmin }) => isAdmin },
  { address: '/account', text: 'Your account', Icon: UserCog, isOpen: ({ operator }) => !!operator },
];

/** @param mapAddress of what the map of this window showed last */
export function pagesOf(viewer: Viewer, mapAddress = '/'): readonly PageRow[] {
  return PAGES.filter((page) => page.isOpen(viewer)).map((page) =>
    page.address === '/' ? { ...page, address: mapAddress } : page,
  );
}
