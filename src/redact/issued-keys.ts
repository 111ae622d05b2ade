/**
 * Forms of keys that their issuers publish so that they can be found: a prefix, and at least or exactly so many signs.
 * Keys without a prefix (Datadog, Cohere, Mistral, Azure OpenAI, Cloudflare's old ones) are found by the name before them.
 */
import { ROLES } from '../model/caller.ts';

export interface Issued {
  readonly prefix: string;
  /** Signs behind the prefix, at least. */
  readonly rest: number;
  /** Exactly so many, and only these. */
  readonly exactly?: RegExp;
  /** The key goes on behind dots: what stands from the first of them, and before it behind the prefix, in these forms. */
  readonly dots?: { readonly before: RegExp; readonly behind: RegExp };
}

/** More special prefixes need no row of their own: `sk-` stands for `sk-ant-`, `sk-proj-`, `sk-or-`, `sk-lf-` and others. */
export const ISSUED: readonly Issued[] = [
  // Models
  { prefix: 'sk-', rest: 16 }, // OpenAI, Anthropic, OpenRouter, DeepSeek, LiteLLM
  { prefix: 'pk-lf-', rest: 16 }, // Langfuse
  ...rows('gsk_ r8_ xai- pplx- nvapi- tvly- pcsk_ csk- fw_ tgp_v1_ jina_ voyage- fc- e2b_ hf_ api_org_', 28), // Groq, Replicate, xAI, …, Hugging Face
  { prefix: 'pa-', rest: 43, exactly: /^[\w-]{43}$/ }, // Voyage
  ...rows('lsv2_pt_ lsv2_sk_', 28), // LangSmith
  { prefix: 'sk_', rest: 48, exactly: /^[0-9a-f]{48}$/ }, // ElevenLabs
  // Clouds
  ...exact('AKIA ASIA', 16, /^[A-Z0-9]{16}$/), // AWS
  { prefix: 'ABSK', rest: 100 }, // AWS Bedrock
  { prefix: 'AIza', rest: 35, exactly: /^[\w-]{35}$/ }, // Google
  dotted('ya29', /^$/, /^\.[\w.-]{20,}$/),
  { prefix: 'GOCSPX-', rest: 20 },
  { prefix: 'LTAI', rest: 20, exactly: /^[A-Za-z0-9]{20}$/ }, // Alibaba
  ...rows(
    'dop_v1_ doo_v1_ dor_v1_ HRKU- FLWSECK_ nfp_ rnd_ pscale_tkn_ pscale_pw_ pscale_oauth_ sbp_ sb_secret_ vcp_ tskey- cfut_ cfat_',
    28,
  ),
  { prefix: 'dapi', rest: 32, exactly: /^[0-9a-f]{32}(?:-\d)?$/ }, // Databricks
  ...['hvs', 'hvb', 'hvr'].map((prefix) => dotted(prefix, /^$/, /^\.[\w-]{24,}$/)), // Vault
  dotted('dp', /^$/, /^\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}$/), // Doppler
  // Code
  ...rows('ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', 30), // GitHub
  ...rows('glpat- gldt- glrt- gloas- glcbt- glptt- glsoat- glffct- glimt- glagent-', 16), // GitLab
  ...rows('npm_ figd_ rubygems_ CLOJARS_ dckr_pat_ dckr_oat_ cio_', 24),
  { prefix: 'pypi-AgE', rest: 30 },
  ...rows('ATATT3 ATCTT3 ATBB', 28), // Atlassian
  ...rows('lin_api_ lin_oauth_', 28), // Linear
  { prefix: 'secret_', rest: 43, exactly: /^[A-Za-z0-9]{43}$/ }, // Notion
  { prefix: 'ntn_', rest: 40 },
  { prefix: 'PMAK-', rest: 30 }, // Postman
  // Money
  ...rows('sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ whsec_', 16), // Stripe
  ...rows('shpat_ shpss_ shpca_ shppa_', 28), // Shopify
  ...rows('sq0atp- sq0csp-', 22), // Square
  { prefix: 'EAAA', rest: 60 },
  { prefix: 'EAA', rest: 80, exactly: /^[A-Za-z0-9]{80,}$/ }, // Meta
  // Messages
  ...rows('xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-', 10), // Slack
  dotted('SG', /^$/, /^\.[\w.-]{20,}$/), // SendGrid
  { prefix: 'SK', rest: 32, exactly: /^[0-9a-f]{32}$/ }, // Twilio
  { prefix: 'key-', rest: 32, exactly: /^[0-9a-f]{32}$/ }, // Mailgun
  { prefix: 'xkeysib-', rest: 60 }, // Brevo
  { prefix: 're_', rest: 30, exactly: /^[A-Za-z0-9]{6,}_[A-Za-z0-9]{20,}$/ }, // Resend
  { prefix: 'AAAAAAAAAAAAAAAAAAAAA', rest: 40 }, // X
  // Watching
  ...rows('glsa_ glc_ NRAK- NRJS- NRII- NRRA- sntrys_ sntryu_ phx_', 24), // Grafana, New Relic, Sentry, PostHog
  dotted('dt0c01', /^$/, /^\.[A-Z0-9]{24}\.[A-Z0-9]{64}$/), // Dynatrace
  ...rows(ROLES.map((role) => `assay_${role}_`).join(' '), 28), // Assay's own tokens
  // Others
  dotted('pat', /^[A-Za-z0-9]{14}$/, /^\.[0-9a-f]{64}$/), // Airtable
  ...rows('pat-na1- pat-eu1- CFPAT- tfp_ dG9rOjI aio_', 28), // HubSpot, Contentful, Typeform, Intercom, Adafruit
  { prefix: 'AGE-SECRET-KEY-1', rest: 58 },
  ...['M', 'N', 'O'].map((prefix) => dotted(prefix, /^[\w-]{22,27}$/, /^\.[\w-]{6}\.[\w-]{27,38}$/)), // Discord's bots
];

function rows(prefixes: string, rest: number): readonly Issued[] {
  return prefixes.split(' ').map((prefix) => ({ prefix, rest }));
}

function exact(prefixes: string, rest: number, exactly: RegExp): readonly Issued[] {
  return prefixes.split(' ').map((prefix) => ({ prefix, rest, exactly }));
}

function dotted(prefix: string, before: RegExp, behind: RegExp): Issued {
  return { prefix, rest: 0, dots: { before, behind } };
}
