/* :name=dragoman :description=Suggest translations from dragoman, and teach it what is translated here
 *
 * Copy this file into three folders below OmegaT's scripts folder (Tools > Scripting): project_changed, so that every
 * save teaches; entry_activated, so that an untranslated segment is filled with a suggestion when it is opened; and the
 * scripts folder itself, to insert a suggestion by hand. Then write a file omegat/dragoman.properties in the project:
 *
 *     url=http://localhost:8765
 *     project=manual
 *     key=dragoman_…           (if the server asks for keys)
 *
 * Works with OmegaT 3.6 and newer, in the window and with --mode=console-translate --script=dragoman.groovy.
 */

def root = project?.projectProperties?.projectRoot
def settings = new Properties()
def file = root ? new File(root, "omegat/dragoman.properties") : null
if (file == null || !file.exists()) return
file.withInputStream { settings.load(it) }

def say = { text -> binding.hasVariable("console") ? console.println("dragoman: " + text) : println("dragoman: " + text) }
def send = { String path, byte[] body, String type ->
    def connection = (HttpURLConnection) new URL(settings.url.replaceAll('/+$', '') + path).openConnection()
    connection.requestMethod = "POST"
    connection.doOutput = true
    connection.connectTimeout = 5000
    connection.readTimeout = 60000
    connection.setRequestProperty("Content-Type", type)
    if (settings.key) connection.setRequestProperty("Authorization", "Bearer " + settings.key)
    connection.outputStream.withStream { it.write(body) }
    if (connection.responseCode >= 400) {
        say(connection.errorStream?.getText("UTF-8") ?: connection.responseCode)
        return null
    }
    return connection.inputStream.getText("UTF-8")
}
def encode = { URLEncoder.encode(it.toString(), "UTF-8") }

def event = binding.hasVariable("eventType") ? String.valueOf(eventType) : null
def opened = binding.hasVariable("newEntry") || event == null

// OmegaT may have filled an untranslated segment with its source.
def isUntranslated = {
    def now = editor.currentTranslation
    if (!now) return true
    return now == editor.currentEntry.srcText && !project.getTranslationInfo(editor.currentEntry)?.isTranslated()
}

if (event in ["SAVE", "COMPILE", "CLOSE"]) {
    def saved = new File(root, "omegat/project_save.tmx")
    if (!saved.exists()) return
    // Of this person and folder: others may have a project of the same name.
    def name = encode(System.getProperty("user.name") + ":" + new File(root, "project_save.tmx").canonicalPath)
    def answer = send("/hooks/file/" + encode(settings.project) + "?forget=true&name=" + name, saved.bytes,
                      "application/octet-stream")
    if (answer) say(answer)
} else if (opened && editor?.currentEntry != null && isUntranslated()) {
    def languages = project.projectProperties
    def asked = "q=" + encode(editor.currentEntry.srcText) +
                "&source=" + encode(languages.sourceLanguage.languageCode.toLowerCase()) +
                "&target=" + encode(languages.targetLanguage.languageCode.toLowerCase())
    def answer = send("/libretranslate/" + encode(settings.project) + "/translate", asked.getBytes("UTF-8"),
                      "application/x-www-form-urlencoded")
    if (answer) editor.replaceEditText(new groovy.json.JsonSlurper().parseText(answer).translatedText)
}
