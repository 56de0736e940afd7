package phrases

import "github.com/mneme-memory/mneme/internal/lexis"

// Spanish is how things are said in Spanish.
func Spanish() Language {
	return Language{
		Name:   "Spanish",
		Always: spanishAlways, Never: spanishNever, Must: spanishMust, Prefers: spanishPrefers, Decides: spanishDecides, Chooses: spanishChooses,
		Contrasts: spanishContrasts, Reasons: spanishReasons, Stands: spanishStands, Times: spanishTimes, Scopes: spanishScopes,
		Reminds: spanishReminds, Demands: spanishDemands, Habits: spanishHabits, Order: spanishOrder, Leads: spanishLeads,
		Hedges: spanishHedges, Wishes: spanishWishes, Now: spanishNow, Troubles: spanishTroubles, Tasks: spanishTasks, Stories: spanishStories,
		Objects: spanishObjects, Agrees: spanishAgrees, Retracts: spanishRetracts, Secrets: spanishSecrets, Talk: spanishTalk,
		Declares: spanishDeclares, Acknowledges: spanishAcknowledges, Demanded: spanishDemanded,
		Causes: spanishCauses, Mends: spanishMends, Finds: spanishFinds,
	}
}

var spanishAlways = lexis.Table{
	{`siempre`, "los mensajes siempre en español sencillo"},
	{`a partir de ahora`, "A partir de ahora, los registros en inglés"},
	{`de ahora en adelante`, "de ahora en adelante con pruebas"},
	{`en (?:el )?futuro`, "en el futuro con pruebas"},
	{`por norma|por regla general`, "por norma, sin siglas"},
}

var spanishNever = lexis.Table{
	{`nunca|jamás`, "Nunca borres alumnos de la base"},
	{`no (?:uses|toques|borres|edites|subas|pongas|escribas|añadas|cambies|despliegues)`, "no uses la librería holidays"},
	{`no se (?:debe|puede|permite|despliega|toca|edita|borra)\w*`, "ese día no se despliega nada"},
	{`(?:está|están) prohibid[oa]s?`, "está prohibido forzar"},
	{`sin (?:códigos|siglas|listas|comentarios)`, "sin códigos de error"},
	{`nada de`, "nada de jQuery"},
	{`bajo ningún concepto`, "bajo ningún concepto"},
}

var spanishMust = lexis.Table{
	{`(?:debe|deben|tiene que|tienen que|hay que)`, "los informes deben firmarse"},
	{`s[oó]lo|solamente|únicamente`, "solo los domingos"},
	{`como (?:mucho|máximo|mínimo)|al menos|a más tardar`, "250 paradas como mucho"},
	{`obligatori[oa]s?`, "la firma es obligatoria"},
	{`(?:en|con) su propi[oa]`, "cada uno con su propia base"},
}

var spanishPrefers = lexis.Table{
	{`prefiero`, "Prefiero vistas basadas en funciones"},
	{`(?:me gusta|me gustan|me gustaría)`, "me gustan las funciones cortas"},
	{`(?:no )?quiero (?:\S+ ){0,2}(?:siempre|nunca|sin|ningun\w*|en)`, "no quiero listas en las respuestas, quiero siempre frases"},
	{`por favor,? (?:\S+ ){0,8}siempre`, "Por favor, los mensajes siempre en español"},
	{`me (?:basta|bastan)`, "me bastan dos frases"},
}

var spanishDecides = lexis.Table{
	{`(?:usaremos|usamos|vamos a usar|nos quedamos con|dividimos|pasamos a|tomamos|elegimos|mantenemos|seguimos con|iremos con)`, "Usaremos WeasyPrint en lugar de ReportLab"},
	{`(?:hemos decidido|decidimos|se decidió)`, "hemos decidido usar chi"},
	{`mejor (?:usa|con|seguimos|usamos)`, "mejor usamos net/http"},
	{`entonces \pL+mos`, "Entonces dividimos por zonas"},
	{`quedar(?:nos|me) con`, "hemos decidido quedarnos con Correos"},
	{`vamos a (?:usar|guardar|pasar|quedarnos|seguir|poner|mantener)`, "Vamos a guardar las lecturas en TimescaleDB"},
}

var spanishChooses = lexis.Table{
	{`(?:usa|usamos|toma|quédate con|mejor con|seguimos con)`, "usa net/http"},
}

var spanishContrasts = lexis.Table{
	{`en (?:vez|lugar) de`, "en vez de comprar una máquina"},
	{`no (?:[^.;]{2,60}) sino`, "no empieza el 1 sino el 10"},
	{`sino`, "sino el 10"},
	{`(?:,|y) no (?:con|en|de|a|por|el|la)`, "con nuestro paquete, no con expresiones regulares"},
	{`ya no`, "ya no se usa"},
}

var spanishReasons = lexis.Table{
	{`porque`, "porque los expedientes se conservan diez años"},
	{`ya que|puesto que|dado que`, "ya que las plantillas son HTML"},
	{`así que|por eso|por lo que`, "así que las tareas no se ejecutan"},
	{`para que`, "para que lo encuentre la auditoría"},
	{`si no,|de lo contrario`, "de lo contrario falla"},
	{`debido a`, "debido a la auditoría"},
	{`las? \S+(?: \S+){0,2} no l[ao]s? entiende nadie`, "las clases genéricas no las entiende nadie"},
}

var spanishStands = lexis.Table{
	{`(?:sale|salen|viene|vienen|proviene|provienen) de`, "los festivos salen de la tabla"},
	{`(?:está|están|vive|corre|corren|escucha|empieza|acaba|termina|arranca|se apaga|va|van|dura) (?:en|el|a|al|por|con|desde|hasta|bajo)`, "el plazo acaba el 20 de octubre"},
	{`se (?:validan?|guardan?|marcan?|generan?|calculan?|conservan?|miden?|firman?|publican?|envían?|cuentan?)`, "Los NIF se validan con nuestro paquete"},
	{`cada \S+ tiene`, "cada almacén tiene el suyo"},
	{`(?:es|son|tiene|tienen) (?:\S+ ){0,4}\d+`, "el IVA es 10 %"},
	{`(?:admite|acepta|requiere|exige|espera)n?`, "el de Hacienda admite formatos antiguos"},
}

var spanishTimes = lexis.Table{
	{`(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)`, "los domingos"},
	{`a las? \d{1,2}(?::\d\d)?`, "se apaga a las 22:00"},
	{`cada (?:día|semana|mes|año|noche|hora|trimestre)`, "cada mes"},
	{`(?:el|antes del|hasta el) \d{1,2} de \pL+`, "acaba el 20 de octubre"},
	{`\d+ (?:días?|semanas?|horas?|minutos?|meses|años?)`, "30 días"},
	{`diez años`, "se conservan diez años"},
}

var spanishScopes = lexis.Table{
	{`en (?:tod[oa]s?|cada|cualquier)`, "en todas las vistas"},
	{`en (?:este|nuestro) (?:proyecto|repositorio|equipo)`, "en este proyecto"},
	{`en producción`, "en producción"},
	{`a mano`, "a mano"},
	{`aquí`, "nadie aquí"},
}

var spanishReminds = lexis.Table{
	{`(?:recuerda|acuérdate|ten en cuenta|no olvides)`, "recuerda que la hora es UTC"},
	{`(?:ojo|importante|nota|atención):`, "Ojo: el plazo acaba el 20 de octubre"},
	{`para que lo sepas`, "para que lo sepas, es UTC"},
	{`ten(?:lo|edlo|erlo)? en cuenta`, "tenlo en cuenta"},
}

var spanishDemands = lexis.Table{
	{`(?:lo )?(?:exige|pide|quiere|requiere) (?:la ley|hacienda|el cliente|la auditoría|secretaría|legal)`, "lo exige la ley"},
	{`(?:la ley|hacienda|el cliente|la auditoría|legal) (?:exige|pide|quiere|requiere)`, "Hacienda exige el NIF"},
	{`por ley`, "por ley"},
}

var spanishHabits = lexis.Table{
	{`(?:aquí|en casa) (?:usamos|se usa|llamamos)`, "aquí usamos tabuladores"},
	{`(?:siempre|nunca) \pL+mos`, "siempre redondeamos"},
}

var spanishOrder = lexis.Table{
	{`primero`, "primero cerrar el curso"},
	{`luego`, "luego cargar los grupos"},
	{`después`, "después lanzas make"},
	{`por último|al final|finalmente`, "por último avisar a los tutores"},
	{`esper(?:a|as|ar) (?:a|al)`, "espera a que acabe la canalización"},
	{`y aprueba`, "y aprueba el paso"},
	{`(?:y )?(?:al final|por último|después|luego) se`, "al final se comprueba"},
}

var spanishLeads = lexis.Table{
	{`para \pL+r`, "Para desplegar"},
	{`así (?:se|es como)`, "Así se publica una versión"},
	{`cada vez que`, "Cada vez que cambia el curso"},
	{`cuando (?:se|hay|haya|quieras)`, "Cuando hay una versión nueva"},
	{`(?:después|antes) de (?:cada|\pL+r)`, "Después de cada versión"},
	{`(?:los )?pasos (?:para|son)`, "Los pasos para publicar"},
}

var spanishHedges = lexis.Table{
	{`quizás?|tal vez|a lo mejor|acaso`, "A lo mejor algún día"},
	{`(?:creo|supongo|pienso|imagino) que`, "creo que es la caché"},
	{`(?:probablemente|posiblemente|seguramente)`, "probablemente la caché"},
	{`(?:parece|podría)`, "parece lento"},
}

var spanishWishes = lexis.Table{
	{`algún día`, "algún día hacemos una versión"},
	{`podríamos`, "podríamos usar Rust"},
	{`(?:sería|estaría) (?:mejor|bien|bueno)`, "¿Sería mejor Rust?"},
	{`ya veremos`, "Ya veremos."},
	{`el (?:mes|año) que viene`, "el año que viene"},
}

var spanishNow = lexis.Table{
	{`hoy`, "hoy a las tres"},
	{`(?:hasta )?mañana`, "hasta mañana"},
	{`ayer`, "desde ayer"},
	{`por ahora|de momento|por el momento`, "por ahora una lista"},
	{`esta vez`, "esta vez no"},
	{`en est[ea] (?:archivo|función|rama|prueba)`, "en este archivo"},
}

var spanishTroubles = lexis.Table{
	{`no se (?:guardan?|cargan?|abren?|ven?|muestran?)`, "Las notas no se guardan"},
	{`(?:falla|fallan|se cayó|se cae|se cuelga|está rot[oa])`, "la página falla"},
	{`(?:tarda|tardan|va lent[oa]|es lent[oa])`, "La API tarda 4 segundos"},
	{`(?:error|fallo|bug)`, "hay un error"},
	{`se comió`, "se comió 14 GB"},
}

var spanishTasks = lexis.Table{
	{`(?:mira|revisa|arregla|añade|escribe|explica|muestra|busca|abre|lee|prueba|crea|corrige|corrígelo|haz)`, "Mira planificador/lote.py"},
	{`¿?(?:puedes|podrías)`, "¿puedes mirarlo?"},
	{`hay que (?:bajarlo|arreglarlo|mirarlo)`, "hay que bajarlo"},
}

var spanishStories = lexis.Table{
	{`(?:he|había) \pL+do`, "he preguntado"},
	{`(?:pensé|quería|pregunté|fui|estuve)`, "pensé en cron"},
	{`has visto`, "¿Has visto el partido?"},
}

var spanishObjects = lexis.Table{
	{`no[,.:;]`, "No, el curso no empieza el 1"},
	{`(?:mal|incorrecto|no es así|te equivocas)`, "No es así"},
	{`mejor no`, "Mejor no, déjalo"},
	{`me equivoqué(?: antes)?`, "Me equivoqué antes: da 60"},
	{`no,? espera`, "no, espera, los libros van al 4"},
}

var spanishAgrees = lexis.Table{
	{`(?:tiene sentido|me lo imaginaba|correcto|eso es|estupendo|genial|cierto|buena idea)`, "Tiene sentido, hazlo"},
	{`(?:sí|vale|bien|de acuerdo|claro|gracias|perfecto|exacto|bueno|pues|y|pero|por cierto)`, "vale, seguimos"},
	{`por favor`, "Por favor, en español"},
}

var spanishRetracts = lexis.Table{
	{`mejor no(?:, déjalo)?`, "Mejor no, déjalo"},
	{`déjalo`, "déjalo"},
	{`olvídalo|olvida eso`, "olvídalo"},
	{`da igual`, "da igual"},
	{`(?:pero|ay,?) no[:,]`, "pero no: los domingos"},
	{`lo retiro|me retracto`, "lo retiro"},
	{`he cambiado de idea`, "he cambiado de idea"},
}

var spanishSecrets = lexis.Table{
	{`contraseñas?`, "contraseña del admin"},
	{`(?:la )?clave (?:de|es|del)`, "la clave de la base es x"},
	{`credenciales`, "las credenciales"},
	{`secreto`, "el secreto"},
}

var spanishTalk = lexis.Table{
	{`(?:buenos días|buenas (?:tardes|noches)|hola|adiós)`, "Buenos días."},
	{`(?:partido|el tiempo por|almorzar|comer|café)`, "¿Has visto el partido?"},
	{`gracias`, "gracias"},
}

var spanishCauses = lexis.Table{
	{`(?:venía|viene) de`, "el deadlock venía de bloquear en distinto orden"},
	{`se (?:debía|debe|debió) a`, "se debía a que se aplicó a mano"},
	{`porque`, "era porque la base no estaba arrancada"},
	{`(?:era|fue) por`, "fue por la caché"},
	{`faltaba`, "faltaba la extensión"},
	{`no (?:estaba|estaban)`, "la base de pruebas no estaba arrancada"},
	{`no había`, "no había tramo en la tabla"},
	{`usaba`, "usaba siempre Europe/Madrid"},
}

var spanishMends = lexis.Table{
	{`(?:se )?(?:arregló|solucionó|resolvió)`, "se arregló con migrate --fake"},
	{`(?:arreglado|solucionado|resuelto)`, "Arreglado: ahora se bloquean por id"},
	{`l[ao] (?:levanta|arregla|soluciona|resuelve|arranca)`, "make db-pruebas la levanta"},
	{`ahora (?:se )?\pL+n?`, "ahora se bloquean por id ascendente"},
	{`ya (?:pasa|pasan|funciona|funcionan|va)`, "La migración ya pasa"},
	{`(?:ahora|ya) se \pL+`, "ahora se cobra la tarifa de paleta"},
	{`(?:listo|hecho|funciona)[,:]`, "Listo, pasan las pruebas"},
	{`pasan? (?:las|todas)`, "pasan las 33 pruebas"},
}

var spanishFinds = lexis.Table{
	{`el (?:problema|fallo|error) (?:era|fue|estaba)`, "El problema era una consulta por cada declaración"},
	{`la causa (?:\S+ ){0,3}(?:era|fue|es)`, "La causa era la caché"},
	{`(?:la razón|el motivo) (?:\S+ ){0,3}(?:era|fue|es)`, "El motivo era la caché"},
}

var spanishDeclares = lexis.Table{
	{`(?:el|la|los|las|un|una|cada|todo|todos|todas|nuestr[oa]s?|en|para|entre|desde|hasta|ningún|ninguna|nadie)(?: [^\s,:;.!?]+){1,8}? (?:no )?(?:es|son|está|están|tiene|tienen|va|van|hay|puede|pueden|debe|deben|lleva|llevan|tarda|tardan|cuesta|cuestan|da|dan|usa|usan|admite|admiten|atiende|atienden|cierra|cierran|abre|abren|queda|quedan|sale|salen|llega|llegan|empieza|acaba|vale|valen|necesita|necesitan|se \pL+n?|dura|duran|cobra|paga|pagan|sigue|siguen|corre|escucha|pertenece|acepta|aceptan|viene|vienen)`, "los pedidos a Baleares tardan dos días más"},
	{`(?:[^\s,:;.!?]+ ){1,4}?(?:no )?(?:es|son|está|están|tiene|tienen|va|van|hay|puede|pueden|debe|deben|lleva|llevan|tarda|tardan|cuesta|cuestan|da|dan|usa|usan|admite|admiten|atiende|atienden|cierra|cierran|abre|abren|queda|quedan|sale|salen|llega|llegan|empieza|acaba|vale|valen|necesita|necesitan|se \pL+n?|dura|duran|cobra|paga|pagan|sigue|siguen|corre|escucha|pertenece|acepta|aceptan|viene|vienen)`, "Seur sale más caro"},
}

var spanishAcknowledges = lexis.Table{
	{`(?:entendido|apuntado|de acuerdo|vale|claro|anotado|bien|gracias|lo (?:apunto|tengo|haré|anoto)|hecho|corregido|por supuesto|ok)`, "Lo tengo en cuenta."},
}

var spanishDemanded = lexis.Table{
	{`(?:por favor,? )?(?:usa|escribe|pon|nombra|llama|redondea|evita|mantén|deja|separa|ordena|comprueba|haz|nada de|sin)`, "escribe los mensajes en español"},
}
