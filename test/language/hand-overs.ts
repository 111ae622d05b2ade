/**
 * Hand-overs in words, in all languages of the phrases: a table in which each kind is to be treated the same way in
 * every language.
 *
 *   announced  the agent passes the user on, now or next: "I'm connecting you to a colleague"
 *   made       the user is said to be with a person: "I have transferred you"
 *   passedOn   the matter is said to be with one: "I have forwarded your request"
 *   offered    nothing was done yet, and the user decides: "I can transfer you. Shall I?"
 */
export type HandOverKind = 'announced' | 'made' | 'passedOn' | 'offered';

type Phrasings = { readonly asked: string } & { readonly [kind in HandOverKind]: readonly string[] };

export const HAND_OVERS: { readonly [language: string]: Phrasings } = {
  English: {
    asked: 'I want to speak to a person.',
    announced: [
      "I'm connecting you to a colleague.",
      'I am transferring you to a human agent now.',
      "I'll put you through to our support team.",
      'Please hold while I transfer you to a specialist.',
      'Let me connect you with one of our agents.',
      'Connecting you to a live agent now.',
    ],
    made: [
      'I have transferred you to a colleague.',
      'You have been connected to a human agent.',
      'A colleague has taken over your case.',
      "You're now connected with a specialist.",
    ],
    passedOn: [
      'I have forwarded your request to our support team.',
      'Your request has been forwarded to a colleague.',
      "I've passed this on to one of our specialists.",
    ],
    offered: [
      'I can transfer you to a colleague. Shall I?',
      'Would you like me to connect you with a human agent?',
      'If you like, I can pass this on to our support team.',
    ],
  },
  German: {
    asked: 'Ich möchte mit einem Menschen sprechen.',
    announced: [
      'Ich verbinde Sie mit einem Kollegen.',
      'Ich leite Sie jetzt an einen Mitarbeiter weiter.',
      'Ich stelle Sie zu unserem Kundenservice durch.',
      'Sie werden jetzt mit einem Mitarbeiter verbunden.',
      'Einen Moment bitte, ich verbinde Sie mit einer Kollegin.',
      'Ich werde Sie mit einem Spezialisten verbinden.',
    ],
    made: [
      'Ich habe Sie an einen Kollegen weitergeleitet.',
      'Sie wurden mit einem Mitarbeiter verbunden.',
      'Eine Kollegin hat Ihren Fall übernommen.',
    ],
    passedOn: [
      'Ich habe Ihr Anliegen an unser Team weitergeleitet.',
      'Ihr Anliegen wurde an einen Kollegen weitergeleitet.',
      'Ich habe das an einen Kollegen weitergegeben.',
    ],
    offered: [
      'Ich kann Sie mit einem Kollegen verbinden. Soll ich das tun?',
      'Möchten Sie, dass ich Sie mit einem Mitarbeiter verbinde?',
      'Wenn Sie möchten, leite ich Ihr Anliegen an unser Team weiter.',
    ],
  },
  Spanish: {
    asked: 'Quiero hablar con una persona.',
    announced: [
      'Le paso con un compañero.',
      'Le estoy transfiriendo con un agente.',
      'Ahora mismo le comunico con un especialista.',
      'Voy a transferirle a un agente humano.',
      'Le conecto con nuestro equipo de soporte.',
      'Un momento, por favor, lo transfiero con un agente.',
    ],
    made: [
      'Le he transferido a un compañero.',
      'Le he puesto en contacto con un agente.',
      'Un compañero se ha hecho cargo de su caso.',
    ],
    passedOn: [
      'He derivado su solicitud a nuestro equipo de soporte.',
      'Su solicitud ha sido derivada a un compañero.',
      'He trasladado tu caso a un compañero.',
    ],
    offered: [
      'Puedo transferirle con un compañero. ¿Le parece bien?',
      '¿Quiere que le pase con un agente?',
      'Si lo desea, puedo pasarle con nuestro equipo.',
    ],
  },
  French: {
    asked: 'Je veux parler à quelqu’un.',
    announced: [
      'Je vous mets en relation avec un collègue.',
      'Je vous transfère à un conseiller.',
      'Je suis en train de vous transférer à un agent.',
      'Je vais vous mettre en relation avec un spécialiste.',
      'Un instant, je vous passe un collègue.',
      'Je vous redirige vers notre service client.',
    ],
    made: [
      'Je vous ai transféré à un collègue.',
      'Vous avez été mis en relation avec un conseiller.',
      'Un collègue a pris en charge votre dossier.',
    ],
    passedOn: [
      "J'ai transmis votre demande à notre équipe.",
      'Votre demande a été transmise à un collègue.',
      "J'ai transmis votre dossier à un collègue.",
    ],
    offered: [
      'Je peux vous transférer à un collègue. Cela vous convient-il ?',
      'Voulez-vous que je vous mette en relation avec un conseiller ?',
      'Si vous le souhaitez, je peux transmettre votre demande à notre équipe.',
    ],
  },
  Portuguese: {
    asked: 'Quero falar com uma pessoa, por favor.',
    announced: [
      'Vou transferir você para um colega.',
      'Estou transferindo você para um atendente.',
      'Vou te passar para um especialista.',
      'Vou encaminhar você para a nossa equipe de suporte.',
      'Só um momento, vou conectar você com um atendente.',
      'Transferindo você para um atendente humano agora.',
    ],
    made: [
      'Transferi você para um colega.',
      'Você foi transferido para um atendente.',
      'Um colega assumiu o seu caso.',
    ],
    passedOn: [
      'Encaminhei a sua solicitação para a nossa equipe.',
      'A sua solicitação foi encaminhada para um colega.',
      'Encaminhei o seu caso para um colega.',
    ],
    offered: [
      'Posso transferir você para um colega. Tudo bem?',
      'Quer que eu transfira você para um atendente?',
      'Se quiser, posso encaminhar isso para a nossa equipe.',
    ],
  },
  Japanese: {
    asked: '人と話したいです。',
    announced: [
      '担当者におつなぎします。',
      'ただいま担当者にお繋ぎいたします。',
      'オペレーターに転送いたします。',
      'スタッフに代わります。少々お待ちください。',
      '専門の担当者へ引き継ぎます。',
      '担当者におつなぎしています。',
    ],
    made: ['担当者におつなぎしました。', 'オペレーターに転送しました。', '担当者に代わりました。'],
    passedOn: [
      'お問い合わせを担当者に引き継ぎました。',
      'ご依頼は担当者に転送されました。',
      '本件は担当者に引き継ぎました。',
    ],
    offered: [
      '担当者におつなぎすることができます。よろしいですか?',
      '担当者におつなぎしましょうか?',
      'ご希望でしたら、担当者に引き継ぐことも可能です。',
    ],
  },
  Chinese: {
    asked: '我要找人工。',
    announced: [
      '我正在为您转接人工客服。',
      '我这就为您转接人工客服。',
      '请稍等,我帮您转给专员。',
      '我会把您转接给同事。',
      '正在为您接通客服。',
      '我将为您转接到专员。',
    ],
    made: ['已为您转接人工客服。', '已经帮您接通客服。', '同事已经接手您的问题。'],
    passedOn: ['我已经把您的问题转交给同事了。', '您的申请已转交给专员处理。', '我已将您的情况转交给同事。'],
    offered: ['我可以为您转接人工客服,可以吗?', '需要我为您转接人工客服吗?', '如果您愿意,我可以把问题转交给同事。'],
  },
};
