/** How to reach a Kafka cluster. Secrets are values here: reading them from files and the environment is the configuration's. */
export interface KafkaConnection {
  /** host:port, of some brokers; they name the others. */
  readonly brokers: readonly string[];
  /** Client name in the brokers' logs and quotas. */
  readonly clientId?: string;
  readonly tls?: KafkaTls;
  readonly sasl?: KafkaSasl;
}

/** PEM texts. Without `ca` the system's authorities are trusted; `cert` and `key` are for brokers that ask for a certificate. */
export interface KafkaTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** The name that the brokers' certificates must have, where it is not the host's. */
  readonly serverName?: string;
}

export type KafkaSasl =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: string;
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly token: OauthTokenSource };

export type OauthTokenSource =
  /** Somebody else keeps the file up to date; it is read again for each new connection. */
  | { readonly file: string }
  | {
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
      /** SASL extensions that some services ask for, such as `logicalCluster`. */
      readonly extensions?: Readonly<Record<string, string>>;
    };
