export type NoticePermission = NotificationPermission | 'missing' | 'insecure';

export function noticePermission(): NoticePermission {
  if (!window.isSecureContext) return 'insecure';
  return 'Notification' in window ? Notification.permission : 'missing';
}

/** Some policies of pages make the request fail. */
export async function requestNotices(): Promise<NoticePermission> {
  try {
    return await Notification.requestPermission();
  } catch {
    return 'denied';
  }
}

/**
 * A browser shows the last one only.
 * @returns whether it is shown. Chrome on Android grants the permission, and refuses to make one.
 */
export function showNotice(title: string, body: string, onClick: () => void): boolean {
  if (noticePermission() !== 'granted') return false;
  try {
    const notice = new Notification(title, { body, tag: 'lookout.alarms' });
    notice.onclick = () => {
      window.focus();
      onClick();
      notice.close();
    };
    return true;
  } catch {
    return false;
  }
}
