import { openPageViewer } from '#lib/server/routes/page-viewer.ts';
import { DoctorPage } from '../../../components/doctor/doctor-page.tsx';
import { ClosedPage } from '../../../components/frame/page-frame.tsx';

export const metadata = { title: 'Health · Lookout' };

export default async function Page() {
  const viewer = await openPageViewer('/admin/doctor');
  return viewer.isAdmin ? <DoctorPage viewer={viewer} /> : <ClosedPage viewer={viewer} title="Health" />;
}
