/** Events of the certificates by which ports speak TLS. */
import type { LISTENERS } from './receive-events.ts';

export type TlsEvent =
  | {
      /** A handshake that failed before any data was exchanged. */
      readonly type: 'tls-handshake-failed';
      readonly port: (typeof LISTENERS)[number];
      readonly problem: string;
    }
  | {
      readonly type: 'tls-certificate-renewed';
      /** Seconds since 1970. */
      readonly expiresAt: number;
    }
  | {
      /** The previous one stays in use. */
      readonly type: 'tls-certificate-unusable';
      readonly problem: string;
    };
