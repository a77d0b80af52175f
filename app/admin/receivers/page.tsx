import { openPageViewer } from '#lib/server/routes/page-viewer.ts';
import { ClosedPage } from '../../../components/frame/page-frame.tsx';
import { ReceiversPage } from '../../../components/receivers/receivers-page.tsx';

export const metadata = { title: 'Receivers · Lookout' };

export default async function Page() {
  const viewer = await openPageViewer('/admin/receivers');
  return viewer.isAdmin ? <ReceiversPage viewer={viewer} /> : <ClosedPage viewer={viewer} title="Receivers" />;
}
